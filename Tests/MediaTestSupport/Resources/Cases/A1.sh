# A1: AAC priming in an M4A with edit list
$FF -f lavfi -i "aevalsrc='if(gte(t,0.5),0.8*sin(2*PI*1000*t),0)':s=44100:d=1" -c:a aac -b:a 128k a1.m4a

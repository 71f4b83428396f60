# E3: Audio trim off the AAC frame grid
$FF -f lavfi -i "aevalsrc='if(gte(t,1),0.8*sin(2*PI*1000*t),0)':s=48000:d=3" -c:a aac -b:a 128k e3.m4a

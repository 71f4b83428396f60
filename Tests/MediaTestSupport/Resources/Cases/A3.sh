# A3: 5.1 with only the centre speaking: stereo downmix
$FF -f lavfi -i "aevalsrc=0|0|0.5*sin(2*PI*1000*t)|0|0|0:c=5.1:s=48000:d=1" -c:a pcm_s16le a3.wav

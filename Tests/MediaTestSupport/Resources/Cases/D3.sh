# D3: VBR MP3 without Xing header: quiet tone then noise
$FF -f lavfi -i "sine=200:r=44100:d=10" -f lavfi -i "anoisesrc=r=44100:d=10:a=0.7" -filter_complex "[0][1]concat=n=2:v=0:a=1" -c:a libmp3lame -q:a 2 -write_xing 0 d3.mp3

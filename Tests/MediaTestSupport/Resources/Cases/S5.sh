# S5: Unknown video codec (fourcc zzzz) with good audio
base; $FF -i base.mp4 -f lavfi -i "sine=440:d=4" -map 0 -map 1 -c:v copy -c:a aac s5a.mp4; python3 -c "
d=open('s5a.mp4','rb').read();j=d.find(b'avc1',d.find(b'stsd'));open('s5.mp4','wb').write(d[:j]+b'zzzz'+d[j+4:])"

# G5: PAL 16:9 anamorphic: 720x576 SAR 64:45
$FF -f lavfi -i "color=red:s=720x576:r=25:d=1,setsar=64/45" -c:v mpeg2video -qscale:v 2 g5.mpg

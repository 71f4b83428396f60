# R1: MP4 cut off before its moov
$FF -f lavfi -i "testsrc2=s=320x240:r=25:d=4" -c:v libx264 -pix_fmt yuv420p r1a.mp4; head -c $(( $(stat -c %s r1a.mp4)*6/10 )) r1a.mp4 > r1.mp4

# N3: HTTP without range support, moov at the end
# The server runs in the test (SlowServer, ranges ignored).
$FF -f lavfi -i "testsrc2=s=320x240:r=25:d=4" -c:v libx264 -pix_fmt yuv420p n3.mp4

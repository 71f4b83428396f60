# G9: Export a 65x49 source to 4:2:0 H.264
$FF -f lavfi -i "color=gray:s=66x50:r=25:d=1,format=gbrp,crop=65:49:0:0:exact=1" -c:v libvpx-vp9 -pix_fmt yuv444p -lossless 1 g9.webm

# G7: Odd size 65x49 (VP9): last column and row
$FF -f lavfi -i "color=gray:s=66x50:r=25:d=1,format=gbrp,drawbox=64:0:1:50:red:fill,drawbox=0:48:66:1:blue:fill,crop=65:49:0:0:exact=1" -c:v libvpx-vp9 -pix_fmt yuv444p -lossless 1 g7.webm

# C3: Untagged 720p video (encoded with 709)
$FF -f lavfi -i "color=0xC83C28:s=1280x720:r=25:d=0.2,format=gbrp,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p" -c:v libx264 -crf 1  c3.mp4

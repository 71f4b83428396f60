# C1: BT.709 tagged 720p, colour (200,60,40)
# The filter sets the tags for FFmpeg 7 and later, where the pictures' own tags win over the options.
$FF -f lavfi -i "color=0xC83C28:s=1280x720:r=25:d=0.2,format=gbrp,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p" -vf setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv -c:v libx264 -crf 1 -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv c1.mp4

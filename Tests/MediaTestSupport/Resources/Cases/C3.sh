# C3: Untagged 720p video (encoded with 709)
# From FFmpeg 7 on the encoder takes over what the scale filter says, so the filter takes it away.
$FF -f lavfi -i "color=0xC83C28:s=1280x720:r=25:d=0.2,format=gbrp,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p" -vf setparams=colorspace=unknown:color_primaries=unknown:color_trc=unknown:range=unknown -c:v libx264 -crf 1 c3.mp4

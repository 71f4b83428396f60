# C4: Full-range 8-bit yuvj420p
# Drawn in limited range and stretched: FFmpeg before 9 does so by itself, as its geq knows no yuvj420p.
$FF -f lavfi -i "color=black:s=96x48:r=25:d=0.2,format=yuv420p,geq=lum='if(lt(X,32),40,if(lt(X,64),128,215))':cb=128:cr=128,scale=in_range=tv:out_range=pc,format=yuvj420p" -vf setparams=colorspace=bt709:range=pc -c:v libx264 -qp 0 -pix_fmt yuvj420p -color_range pc -colorspace bt709 c4.mp4

# C10: Interlaced MPEG-2, top field first
$FF -f lavfi -i "color=gray:s=64x48:r=50:d=1,format=yuv420p,geq=lum=16+4*N:cb=128:cr=128" -vf "tinterlace=interleave_top,setfield=tff" -c:v mpeg2video -flags +ildct+ilme -qscale:v 1 c10.mpg

# C8: Alpha in VP9 WebM (side data of each block)
$FF -f lavfi -i "color=black:s=64x48:r=25:d=0.4,format=rgba,geq=r=255:g=0:b=0:a='255*between(X,16,47)*between(Y,12,35)'" -c:v libvpx-vp9 -pix_fmt yuva420p -crf 4 -b:v 0 -auto-alt-ref 0 c8.webm

# T7: Random access in MPEG-TS with open GOPs
$FF -f lavfi -i "$(idx)" -c:v libx264 -x264-params "open-gop=1:keyint=25:min-keyint=25:bframes=3:b-adapt=0:scenecut=0" -crf 5 t7o.mp4; $FF -i t7o.mp4 -c copy t7.ts

# G1: Rotation 90/180/270 in the display matrix
# FFmpeg 6 replaced the rotate tag with an input option of the same direction (counter-clockwise).
quad
if ffmpeg -hide_banner -h full 2>/dev/null | grep -- '-display_rotation' >/dev/null; then
  for r in 90 180 270; do $FF -display_rotation:v:0 $r -i quad.mp4 -c copy g1_$r.mp4; done
else
  for r in 90 180 270; do $FF -i quad.mp4 -c copy -metadata:s:v rotate=$r g1_$r.mp4; done
fi

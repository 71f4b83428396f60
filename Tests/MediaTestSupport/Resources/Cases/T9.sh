# T9: H.264 with B-frames in AVI: packets have no pts
$FF -f lavfi -i "$(idx)" -c:v libx264 -bf 2 -g 25 -crf 5 t9.avi

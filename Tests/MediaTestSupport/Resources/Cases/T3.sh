# T3: MP4 with B-frames and no edit list: first frame at 0.08
$FF -f lavfi -i "$(idx)" -c:v libx264 -bf 3 -g 25 -crf 5 -use_editlist 0 t3.mp4

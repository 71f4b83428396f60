# T15: 29.97 fps: every exact frame time must give that frame
$FF -f lavfi -i "$(idx 64 48 30000/1001 3)" -c:v libx264 -bf 2 -crf 5 t15.mp4

# T11: MPEG-TS whose clock starts at 1.48 s
$FF -f lavfi -i "$(idx)" -c:v libx264 -bf 2 -g 25 -crf 5 t11.ts

# F3: A still image called shot%02d.png next to shot01.png, shot02.png
$FF -f lavfi -i color=red:s=64x48 -frames:v 1 shot01.png; $FF -f lavfi -i color=red:s=64x48 -frames:v 1 shot02.png; $FF -f lavfi -i color=blue:s=64x48 -frames:v 1 -update 1 t.png; mv t.png 'shot%02d.png'

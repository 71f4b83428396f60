# S1: MP3 with cover art: not a video asset
$FF -f lavfi -i "color=red:s=32x32" -frames:v 1 cov.png; $FF -f lavfi -i "sine=440:d=1" -i cov.png -map 0 -map 1 -c:a libmp3lame -c:v copy -id3v2_version 3 -metadata:s:v comment="Cover (front)" -disposition:v attached_pic s1.mp3

# T13: Video track ends before the audio: image past the last frame
base; $FF -t 2 -i base.mp4 -f lavfi -i "sine=440:r=48000:d=3" -map 0:v -map 1:a -c:v libx264 -crf 5 -bf 2 -c:a aac t13.mp4

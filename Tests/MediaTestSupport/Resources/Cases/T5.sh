# T5: Video track starts 0.5 s after the audio (empty edit): no frame at t=0
base; $FF -f lavfi -i "sine=440:r=48000:d=2.5" -itsoffset 0.5 -i base.mp4 -map 1:v -map 0:a -c:v copy -c:a aac -t 2.5 t5.mp4

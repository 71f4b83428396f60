# A5: Audio changes 5.1 → stereo mid-stream (TS, AC-3)
$FF -f lavfi -i "sine=1000:r=48000:d=1" -ac 6 -c:a ac3 -f mpegts a5a.ts; $FF -f lavfi -i "sine=1000:r=48000:d=1" -ac 2 -c:a ac3 -output_ts_offset 1 -f mpegts a5b.ts; cat a5a.ts a5b.ts > a5.ts

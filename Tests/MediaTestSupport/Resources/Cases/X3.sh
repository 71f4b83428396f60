# X3: HLS playlist named .mp4 that points at an internal HTTP address
printf '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\nhttp://127.0.0.1:18999/x.ts\n#EXT-X-ENDLIST\n' > x3.mp4

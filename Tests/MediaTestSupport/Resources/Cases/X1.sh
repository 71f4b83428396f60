# X1: HLS playlist named .mp4 that points at another local file
base; $FF -i base.mp4 -c copy secret.ts; printf '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:4.0,\n%s/secret.ts\n#EXT-X-ENDLIST\n' "$PWD" > x1.mp4

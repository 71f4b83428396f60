# E9: Uneven frame times survive Reader → Writer
$FF -f lavfi -i "$(idx 64 48 25 0.24)" -vf "settb=1/30,setpts='if(eq(N,0),0,if(eq(N,1),7,if(eq(N,2),19,if(eq(N,3),20,if(eq(N,4),41,70)))))'" -fps_mode passthrough -enc_time_base 1/30 -c:v libx264 -bf 0 -crf 5 -video_track_timescale 600 e9.mp4

# T1: VFR MP4: time lookup must use pts, not fps arithmetic
# The last frame lasts 40 ms, which FFmpeg before 7 took from the nominal rate.
$FF -f lavfi -i "$(idx 64 48 25 0.6)" -vf "settb=1/1000,setpts='if(lt(N,10),N*40,400+(N-10)*200)'" -fps_mode passthrough -enc_time_base 1/1000 -c:v libx264 -bf 0 -crf 5 -video_track_timescale 1000 -bsf:v setts=duration=40 t1.mp4

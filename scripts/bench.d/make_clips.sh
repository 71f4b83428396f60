#!/usr/bin/env bash
# Makes the clips that scripts/bench measures on (some minutes, once): make_clips.sh FOLDER
# Noise over everything, B-frames, closed groups of 250: as heavy to decode as what a phone records.
set -euo pipefail
mkdir -p "${1:?folder for the clips}"
cd "$1"

make() { # FILE ARGUMENTS…: FILE appears when it is complete
  local file=$1
  shift
  [ ! -e "$file" ] || return 0
  echo "making $file"
  ffmpeg -nostdin -hide_banner -loglevel error -y "$@" "part-$file"
  mv "part-$file" "$file"
}

# 1920x1080, 30 frames a second, 60 s: a test card on the left, a zoom into a fractal on the right.
make clip1080.mp4 -f lavfi -i "testsrc2=s=960x1080:r=30:d=60" \
  -f lavfi -i "mandelbrot=s=960x1080:r=30:end_pts=1800:maxiter=300" \
  -f lavfi -i "aevalsrc=0.3*sin(2*PI*(220+40*t)*t)+0.1*random(0)|0.3*sin(2*PI*(330+20*t)*t)+0.1*random(1):s=48000:d=60" \
  -filter_complex "[0:v][1:v]hstack=shortest=1,noise=alls=8:allf=t,format=yuv420p[v]" \
  -map "[v]" -map 2:a -t 60 -c:v libx264 -preset medium -crf 23 -g 250 -keyint_min 25 \
  -c:a aac -b:a 128k -movflags +faststart
# 3840x2160, 20 s: the same, enlarged.
make clip4k.mp4 -t 20 -i clip1080.mp4 -vf "scale=3840:2160:flags=bilinear,format=yuv420p" \
  -c:v libx264 -preset veryfast -bf 3 -crf 25 -g 250 -keyint_min 25 -c:a copy -movflags +faststart
# An hour of stereo AAC.
make audio1h.m4a -stream_loop 59 -i clip1080.mp4 -vn -c:a copy
# Ten hours in a million samples, as small as they get: what opening costs is all in the header.
if [ ! -e clip10h.mp4 ]; then
  make minute.mp4 -f lavfi -i "testsrc2=s=64x48:r=30:d=60" -pix_fmt yuv420p -c:v libx264 -preset ultrafast -bf 2 -crf 51
  make clip10h.mp4 -stream_loop 599 -i minute.mp4 -c copy
  rm minute.mp4
fi
# Other codecs, and one key picture only.
make clip_hevc.mp4 -t 10 -i clip1080.mp4 -an -c:v libx265 -preset superfast -bf 3 -g 100 -tag:v hvc1 \
  -x265-params log-level=error
make clip_vp9.webm -t 10 -i clip1080.mp4 -an -vf scale=1280:720 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 \
  -row-mt 1 -b:v 4M -g 100
make clip_long.mp4 -i clip1080.mp4 -an -vf scale=1280:720 -c:v libx264 -preset veryfast -bf 3 -crf 25 \
  -g 1800 -keyint_min 1800 -sc_threshold 0

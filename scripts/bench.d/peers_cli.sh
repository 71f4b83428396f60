#!/usr/bin/env bash
# Command lines that people use for the same jobs, whole process, by hyperfine where it is installed:
# peers_cli.sh CLIP SECONDS. Peers that are not installed are left out.
set -euo pipefail
clip=$1
seconds=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
middle=$((seconds / 2))
command -v hyperfine >/dev/null || {
  echo "peers: hyperfine is missing. Run: apt-get install -y hyperfine ffmpegthumbnailer mediainfo" >&2
  exit 0
}

measure() { # NAME RUNS COMMAND…
  local name=$1 runs=$2
  shift 2
  command -v "$1" >/dev/null || return 0
  if hyperfine -N -w 1 -r "$runs" --export-csv "$out/row.csv" "$(printf '%q ' "$@")" \
    >/dev/null 2>"$out/error"; then
    awk -F, -v name="$name" 'NR == 2 {
      printf "%-34s median %9.1f ms  min %9.1f  user %.2f s  sys %.2f s\n", name, $4 * 1000, $7 * 1000, $5, $6
    }' "$out/row.csv"
  else
    echo "$name FAILED: $(tail -n 1 "$out/error")"
  fi
}
ffmpeg=(ffmpeg -nostdin -hide_banner -loglevel error -y)

measure "ffprobe, JSON" 9 ffprobe -v error -show_format -show_streams -of json "$clip"
measure "mediainfo, JSON" 9 mediainfo --Output=JSON "$clip"
measure "ffmpeg, exact still" 5 "${ffmpeg[@]}" -ss "$middle" -i "$clip" -frames:v 1 -vf scale=320:-2 "$out/a.jpg"
measure "ffmpeg, key frame still" 5 "${ffmpeg[@]}" -noaccurate_seek -skip_frame nokey -ss "$middle" \
  -i "$clip" -frames:v 1 -vf scale=320:-2 "$out/b.jpg"
measure "ffmpegthumbnailer, 50 %" 5 ffmpegthumbnailer -i "$clip" -o "$out/c.jpg" -s 320 -t 50%
measure "ffmpeg, 100 exact stills" 2 "${ffmpeg[@]}" -i "$clip" -an -vf "fps=100/$seconds,scale=320:-2" "$out/d%03d.jpg"
measure "ffmpeg, all key frames" 3 "${ffmpeg[@]}" -skip_frame nokey -i "$clip" -an -vf scale=320:-2 \
  -vsync vfr "$out/e%03d.jpg"
measure "ffmpeg, decode all" 2 "${ffmpeg[@]}" -i "$clip" -an -f null -
measure "ffmpeg, sound to f32" 5 "${ffmpeg[@]}" -i "$clip" -vn -c:a pcm_f32le -f null -
measure "ffmpeg, remux" 5 "${ffmpeg[@]}" -i "$clip" -c copy "$out/f.mp4"
measure "ffmpeg, 720p veryfast" 1 "${ffmpeg[@]}" -i "$clip" -vf scale=1280:720 -c:v libx264 \
  -preset veryfast -crf 23 -c:a copy "$out/g.mp4"

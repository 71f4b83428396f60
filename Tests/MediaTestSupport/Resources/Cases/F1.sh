# F1: File names that FFmpeg takes for protocols, options or patterns
base; mkdir n; for f in 'a:b.mp4' '-x.mp4' '100%d.mp4' 'sp ace#?&.mp4'; do cp base.mp4 "n/$f"; done

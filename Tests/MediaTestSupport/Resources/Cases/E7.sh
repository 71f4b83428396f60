# E7: Output already exists / equals the input / directory missing
base; cp base.mp4 keep.mp4; sha256sum keep.mp4 | cut -c1-8 > sum

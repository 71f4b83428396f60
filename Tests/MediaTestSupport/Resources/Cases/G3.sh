# G3: 90° matrix with a wrong (zero) translation
quad; python3 patchtkhd.py quad.mp4 g3.mp4 0 1 -1 0 0 0

# T17: MKV with two frames on one timestamp
nob; $FF -i nob.mp4 -c copy -bsf:v "setts=ts=TS-40*eq(N\,10)*(1/1000)/TB" t17.mkv

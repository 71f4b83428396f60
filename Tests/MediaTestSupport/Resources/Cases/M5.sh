# M5: 2000 chapters
python3 -c "
print(';FFMETADATA1')
for i in range(2000): print('[CHAPTER]\nTIMEBASE=1/1000\nSTART=%d\nEND=%d\ntitle=c%d'%(i*45,i*45+45,i))" > ch3.txt; $FF -f lavfi -i "color=gray:s=16x16:r=1:d=90" -i ch3.txt -map 0 -map_chapters 1 -c:v libx264 -pix_fmt yuv420p m5.mp4

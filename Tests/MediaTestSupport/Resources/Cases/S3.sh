# S3: Two programmes in one transport stream
$FF -f lavfi -i "color=red:s=64x48:r=25:d=1" -f lavfi -i "color=blue:s=128x96:r=25:d=1" -f lavfi -i "sine=440:d=1" -map 0 -map 1 -map 2 -c:v libx264 -pix_fmt yuv420p -c:a aac -program title=One:program_num=1:st=0:st=2 -program title=Two:program_num=2:st=1 s3.ts

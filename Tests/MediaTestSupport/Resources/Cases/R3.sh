# R3: One key frame in the middle zeroed
nob; python3 -c "
import subprocess
r=[x.split(',') for x in subprocess.run('ffprobe -v error -select_streams v -show_entries packet=pts_time,pos,size,flags -of csv=p=0 nob.mp4',shell=True,capture_output=True,text=True).stdout.split()]
k=[x for x in r if x[0]=='1.000000'][0];s,p=int(k[1]),int(k[2]);d=bytearray(open('nob.mp4','rb').read());d[p+4:p+s]=bytes(s-4);open('r3.mp4','wb').write(d)"

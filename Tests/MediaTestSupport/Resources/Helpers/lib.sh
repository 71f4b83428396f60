FF="ffmpeg -nostdin -v error -y"
# idx W H FPS DUR: lavfi clip whose frame k is flat grey with luma 16+2k (chroma 128)
idx(){ echo "color=c=gray:s=${1:-64}x${2:-48}:r=${3:-25}:d=${4:-4},format=yuv420p,geq=lum=16+2*N:cb=128:cr=128"; }
# lum FILE [W H]: centre luma of every frame in output order
lum(){ ffmpeg -nostdin -v quiet ${IN:-} -i "$1" -map 0:V:0 -fps_mode passthrough -pix_fmt yuv420p -f rawvideo - | python3 -c "
import sys;W,H=${2:-64},${3:-48};d=sys.stdin.buffer.read();n=W*H*3//2
print(len(d)//n,*[d[i*n+W*(H//2)+W//2] for i in range(len(d)//n)])"; }
# onset FILE RATE: first sample louder than a quarter scale, and total samples (mono)
onset(){ ffmpeg -nostdin -v error -i "$1" -ac 1 -ar $2 -f s16le - | python3 -c "
import sys,array;a=array.array('h',sys.stdin.buffer.read());print('onset',next((i for i,x in enumerate(a) if abs(x)>8000),None),'of',len(a))"; }
# px FILE x,y x,y ...: size and RGBA of first displayed frame
px(){ f=$1;shift; ffmpeg -nostdin -v error ${IN:-} -i "$f" -frames:v 1 -pix_fmt rgba -f rawvideo o.raw -y; s=$(ffmpeg -nostdin -v error ${IN:-} -i "$f" -frames:v 1 -f image2 -c:v png -y o.png; ffprobe -v error -show_entries stream=width,height -of csv=p=0 o.png); python3 - "$s" "$@" <<'PY'
import sys;w,h=map(int,sys.argv[1].split(',')[:2]);d=open('o.raw','rb').read()
print(f'{w}x{h}',*[tuple(d[(y*w+x)*4:(y*w+x)*4+4]) for x,y in (map(int,a.split(',')) for a in sys.argv[2:])])
PY
}
base(){ $FF -f lavfi -i "$(idx)" -c:v libx264 -bf 2 -g 25 -crf 5 base.mp4; }   # 100 frames, 25 fps, keyframes 0,25,50,75
nob(){ $FF -f lavfi -i "$(idx)" -c:v libx264 -bf 0 -g 25 -crf 5 nob.mp4; }      # the same without B-frames
quad(){ $FF -f lavfi -i "color=white:s=64x48:r=25:d=1,drawbox=0:0:32:24:red:fill,drawbox=32:0:32:24:lime:fill,drawbox=0:24:32:24:blue:fill" -vf format=yuv420p,setparams=colorspace=smpte170m -c:v libx264 -crf 5 -colorspace smpte170m quad.mp4; } # TL red, TR lime, BL blue, BR white

import struct,sys
# patchtkhd.py in out a b c d tx ty   (first tkhd; matrix {a b u c d v tx ty w})
i,o=sys.argv[1:3]; a,b,c,d,tx,ty=map(float,sys.argv[3:9])
D=bytearray(open(i,'rb').read()); p=D.find(b'tkhd')+4
off=p+4+(20 if D[p]==0 else 32)+16
f=lambda x:int(round(x*65536))
D[off:off+36]=struct.pack('>9i',f(a),f(b),0,f(c),f(d),0,f(tx),f(ty),1<<30)
open(o,'wb').write(D)

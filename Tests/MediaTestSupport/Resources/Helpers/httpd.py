# httpd.py MODE FILE PORT  - MODE: norange | silent
import http.server,sys,os,time,re
mode,path,port=sys.argv[1],sys.argv[2],int(sys.argv[3]); D=open(path,'rb').read()
class H(http.server.BaseHTTPRequestHandler):
    protocol_version='HTTP/1.1'
    def log_message(s,*a): sys.stderr.write(s.path+' '+str(s.headers.get('Range'))+'\n')
    def do_HEAD(s): s.do_GET()
    def do_GET(s):
        if mode=='silent': time.sleep(3600)
        a,b=0,len(D)-1; r=s.headers.get('Range'); m=re.match(r'bytes=(\d+)-(\d*)',r or '')
        if m and mode!='norange':
            a=int(m[1]); b=int(m[2]) if m[2] else b; s.send_response(206); s.send_header('Content-Range',f'bytes {a}-{b}/{len(D)}'); s.send_header('Accept-Ranges','bytes')
        else: s.send_response(200)
        if mode=='nolen': s.send_header('Connection','close'); s.close_connection=True
        else: s.send_header('Content-Length',str(b-a+1))
        s.send_header('Content-Type','video/mp4'); s.end_headers()
        s.wfile.write(D[a:b+1])
http.server.ThreadingHTTPServer(('127.0.0.1',port),H).serve_forever()

# D1: WebM written to a pipe: no duration, no cues
$FF -f lavfi -i "$(idx 64 48 25 3)" -c:v libvpx -b:v 1M -qmin 0 -qmax 10 -g 25 -f webm pipe:1 > d1.webm

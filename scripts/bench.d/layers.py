#!/usr/bin/env python3
"""Measures two layers of 1080p beside ffmpeg's overlay graph and MoviePy, in turn: the ratios are of neighbours in time.

usage: layers.py BENCHMARKS CLIP [ROUNDS [PYTHON]]     PYTHON: an interpreter that has moviepy; left out, it is not measured
Eight seconds, the upper layer half opaque and half a second ahead; without an encoder, and with x264 at `veryfast`.
"""
import os, statistics, subprocess, sys, tempfile, time

benchmarks, clip = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
python = sys.argv[4] if len(sys.argv) > 4 else None
folder = tempfile.mkdtemp(prefix="bench-layers-")
environment = dict(os.environ, FLOOR_OUT=folder + "/ours.mp4")
inputs = ["-t", "8", "-i", clip, "-ss", "0.5", "-t", "8", "-i", clip]
# As people write it, by way of RGB; and the fastest that ffmpeg has, which changes the alpha plane alone.
graphs = {
    "colorchannelmixer": "[1:v]format=rgba,colorchannelmixer=aa=0.5[top];[0:v][top]overlay,format=yuv420p",
    "lut": "[1:v]format=yuva420p,lut=a=128[top];[0:v][top]overlay,format=yuv420p",
}
moviepy = f"""
from moviepy import VideoFileClip, CompositeVideoClip
below = VideoFileClip({clip!r}, audio=False).subclipped(0, 8)
above = VideoFileClip({clip!r}, audio=False).subclipped(0.5, 8.5).with_opacity(0.5)
film = CompositeVideoClip([below, above])
for frame in film.iter_frames(): pass
"""


def measure(*command):
    for name in os.listdir(folder):
        os.unlink(f"{folder}/{name}")
    begin = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"layers.py: {' '.join(command)} failed")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def ffmpeg(graph, *output):
    return ["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, "-filter_complex", graph, "-an", *output]


x264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", folder + "/theirs.mp4"]
pairs = [(f"overlay ({name})", "layers", ffmpeg(graph, "-f", "null", "-")) for name, graph in graphs.items()]
pairs += [(f"x264 ({name})", "layers_x264", ffmpeg(graph, *x264)) for name, graph in graphs.items()]
if python:
    pairs.append(("moviepy", "layers", [python, "-c", moviepy]))
for name, job, command in pairs:
    ours, theirs = [], []
    for _ in range(min(3, rounds) if name == "moviepy" else rounds):
        ours.append(measure(benchmarks, job, clip, "0", "1"))
        theirs.append(measure(*command))
    own, other = ([statistics.median(run[i] for run in runs) for i in range(3)] for runs in (ours, theirs))
    wall, processor = (statistics.median(b[i] / a[i] for a, b in zip(ours, theirs)) for i in range(2))
    print(f"{name:28} ours {own[0]:.2f} s wall {own[1]:.2f} s cpu {own[2]:.0f} MiB, theirs {other[0]:.2f} {other[1]:.2f} "
          f"{other[2]:.0f}: {wall:.2f} times as fast, ours/theirs {1 / wall:.3f} wall {1 / processor:.3f} cpu", flush=True)

#!/usr/bin/env python3
"""Measures exports beside the ffmpeg command with the same settings, in turn: the ratios are of neighbours in time.

usage: export.py BENCHMARKS CLIP [ROUNDS]     BENCHMARKS: the built MediaBenchmarks
Prints a line a job: the medians of both, and the median ratio of wall time, processor time and peak memory.
"""
import json, os, resource, statistics, subprocess, sys, tempfile, time

benchmarks, clip = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
folder = tempfile.mkdtemp(prefix="bench-export-")
probe = json.loads(subprocess.run(["ffprobe", "-v", "error", "-show_format", "-of", "json", clip], capture_output=True,
                                  text=True, check=True).stdout)
third = float(probe["format"]["duration"]) / 3
ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
JOBS = {
    "export_remux": ["-i", clip, "-map", "0", "-c", "copy"],
    "export_trim": ["-ss", str(third), "-t", str(third), "-i", clip, "-map", "0", "-c", "copy"],
    "export_720p": ["-i", clip, "-vf", "scale=1280:720:flags=bicubic", "-c:v", "libx264", "-preset", "veryfast", "-crf",
                    "23", "-c:a", "copy"],
}


def measure(command, environment=None):
    begin = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"export.py: {' '.join(command)} failed")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


for job, arguments in JOBS.items():
    ours, theirs = [], []
    for _ in range(rounds):
        own = dict(os.environ, FLOOR_OUT=folder + "/ours.mp4")
        ours.append(measure([benchmarks, job, clip, "0", "1"], own))
        theirs.append(measure(ffmpeg + arguments + [folder + "/theirs.mp4"]))
    ratios = [statistics.median(a[i] / b[i] for a, b in zip(ours, theirs)) for i in range(3)]
    own, other = ([statistics.median(r[i] for r in runs) for i in range(3)] for runs in (ours, theirs))
    print(f"{job:14} ours {own[0]:.3f} s wall {own[1]:.3f} s cpu {own[2]:.0f} MiB, ffmpeg {other[0]:.3f} {other[1]:.3f} "
          f"{other[2]:.0f}: ratios {ratios[0]:.2f} wall {ratios[1]:.2f} cpu {ratios[2]:.2f} memory")
    sys.stdout.flush()
for name in ("ours.mp4", "theirs.mp4"):
    os.path.exists(f"{folder}/{name}") and os.unlink(f"{folder}/{name}")
os.rmdir(folder)

#!/usr/bin/env python3
"""Measures compositions: what mixing costs beside decoding alone, and whether memory depends on the number of segments.

usage: compositions.py BENCHMARKS SOUND CLIP [ROUNDS]     SOUND: 16 minutes at least
"""
import json, statistics, subprocess, sys

benchmarks, sound, clip = sys.argv[1:4]
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 9


def run(job, source, count):
    output = subprocess.run([benchmarks, job, source, str(count), "1"], capture_output=True, text=True, check=True)
    return json.loads(output.stdout)


# In turn: the ratios are of neighbours in time.
pairs = [(run("mix_tracks", sound, 60), run("mix_floor", sound, 60)) for _ in range(rounds)]
for key, name in (("processorMilliseconds", "cpu"), ("medianMilliseconds", "wall")):
    ratio = statistics.median(mix[key] / floor[key] for mix, floor in pairs)
    own, other = (statistics.median(run[key] for run in runs) for runs in zip(*pairs))
    print(f"mix of 16 tracks: {own:.0f} ms {name}, decoding alone {other:.0f}: ratio {ratio:.3f}")
for job, source in (("segments_sound", sound), ("segments_pictures", clip)):
    few, many = (run(job, source, count)["peakKilobytes"] / 1024 for count in (50, 500))
    print(f"{job}: {few:.0f} MiB with 50 segments, {many:.0f} with 500: ratio {many / few:.3f}")

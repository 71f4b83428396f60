#!/usr/bin/env python3
"""Ours beside the floor (plain C on the same libraries): compare.py FLOOR OURS CLIPS RESULTS [JOB ...]

Both take `JOB FILE COUNT REPS` and print one JSON line. They run in turn, so that what else the
machine does hits both; the ratios are medians over the rounds, of wall and of processor time.
Every line is appended to RESULTS. MEDIA_BENCH_ROUNDS: default 3.
"""
import json
import os
import statistics
import subprocess
import sys

# Our job, clip, count, repetitions; the floor's job and its best options.
JOBS = [
    ("probe", "clip1080.mp4", 0, 15, "probe", "nofsi"),
    ("probe", "clip4k.mp4", 0, 15, "probe", "nofsi"),
    ("probe", "clip10h.mp4", 0, 15, "probe", "nofsi"),
    ("thumbs_key", "clip1080.mp4", 1, 9, "thumbs_key", "nofsi acc"),
    ("thumbs_key", "clip1080.mp4", 10, 5, "thumbs_key", "nofsi acc"),
    ("thumbs_key", "clip1080.mp4", 100, 5, "thumbs_key_dedupe", "nofsi acc"),
    ("thumbs_key", "clip4k.mp4", 1, 9, "thumbs_key", "nofsi acc"),
    ("thumbs_exact", "clip1080.mp4", 1, 5, "thumbs_exact", "t=2 nonref nofsi acc"),
    ("thumbs_exact", "clip1080.mp4", 10, 3, "gop_thumbs", "t=2 nonref nofsi acc"),
    ("thumbs_exact", "clip1080.mp4", 100, 1, "gop_thumbs", "t=2 nonref nofsi acc"),
    ("thumbs_exact", "clip4k.mp4", 1, 3, "thumbs_exact", "t=2 nonref nofsi acc"),
    ("thumbs_random", "clip1080.mp4", 200, 1, "gop_rand", "t=2 nonref nofsi acc"),
    ("decode", "clip1080.mp4", 0, 1, "decode", "t=2 nofsi"),
    ("decode_bgra", "clip1080.mp4", 0, 1, "decode_bgra", "t=2 nofsi acc"),
    ("decodescale", "clip1080.mp4", 0, 1, "decodescale", "t=2 nofsi acc"),
    ("thumbs_key", "clip_hevc.mp4", 1, 5, "thumbs_key", "nofsi acc"),
    ("thumbs_exact", "clip_hevc.mp4", 10, 3, "gop_thumbs", "t=2 nonref nofsi acc"),
    ("thumbs_random", "clip_hevc.mp4", 50, 1, "gop_rand", "t=2 nonref nofsi acc"),
    ("thumbs_key", "clip_vp9.webm", 1, 5, "thumbs_key", "acc"),
    ("thumbs_exact", "clip_vp9.webm", 10, 3, "thumbs_exact", "t=2 acc"),
    ("thumbs_exact", "clip_long.mp4", 1, 3, "thumbs_exact", "t=2 nonref nofsi acc"),
    ("thumbs_exact", "clip_long.mp4", 20, 1, "thumbs_exact", "t=2 nonref nofsi acc"),
    ("peaks", "audio1h.m4a", 0, 3, "peaks", "nofsi"),
    ("remux", "clip1080.mp4", 0, 5, "remux", "nofsi"),
    ("remux_faststart", "clip1080.mp4", 1, 5, "remux", "nofsi"),
]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        return None, (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
    return json.loads(lines[-1]), None


def main():
    floor, ours, clips, results = sys.argv[1:5]
    wanted = sys.argv[5:]
    rounds = int(os.environ.get("MEDIA_BENCH_ROUNDS", 3))
    print(f'{"job":<14}{"clip":<14}{"count":>5}{"floor ms":>11}{"ours ms":>11}{"wall":>7}{"cpu":>7}')
    with open(results, "a") as log:
        for job, clip, count, reps, floor_job, options in JOBS:
            if wanted and job not in wanted:
                continue
            path = os.path.join(clips, clip)
            pairs = []
            for _ in range(rounds):
                low, why = run([floor, floor_job, path, str(count), str(reps), *options.split()])
                own, why_own = run([ours, job, path, str(count), str(reps)])
                if not low or not own:
                    print(f"{job:<14}{clip:<14}{count:>5}  not measured: {why or why_own}")
                    break
                pairs.append((low, own))
                log.write(json.dumps({"job": job, "clip": clip, "floor": low, "ours": own}) + "\n")
                log.flush()
            if len(pairs) < rounds:
                continue

            def median(of):
                return statistics.median(of(low, own) for low, own in pairs)

            wall, cpu = "medianMilliseconds", "processorMilliseconds"
            print(
                f"{job:<14}{clip:<14}{count:>5}"
                f"{median(lambda low, own: low[wall]):>11.2f}{median(lambda low, own: own[wall]):>11.2f}"
                f"{median(lambda low, own: own[wall] / low[wall]):>7.2f}"
                f"{median(lambda low, own: own[cpu] / max(low[cpu], 1e-3)):>7.2f}",
                flush=True)


main()

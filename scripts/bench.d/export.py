#!/usr/bin/env python3
"""Measures exports beside the ffmpeg command with the same settings, in turn: the ratios are of neighbours in time.

usage: export.py BENCHMARKS CLIP [ROUNDS [JOB …]]     BENCHMARKS: the built MediaBenchmarks
Prints a line a job: the medians of both, and the median ratio of wall time, processor time and peak memory.
"""
import json, os, shutil, statistics, subprocess, sys, tempfile, time

benchmarks, clip = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
folder = tempfile.mkdtemp(prefix="bench-export-")
probe = json.loads(subprocess.run(["ffprobe", "-v", "error", "-show_format", "-of", "json", clip], capture_output=True,
                                  text=True, check=True).stdout)
third = float(probe["format"]["duration"]) / 3
wanted = sys.argv[4:]
ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
encode = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-c:a", "copy"]
scaled = ["-vf", "scale=1280:720:flags=bicubic", *encode]
# Ours, the command's arguments; a job with `folder` takes a folder of short clips, and a command for each.
JOBS = {
    "export_remux": ["-i", clip, "-map", "0", "-c", "copy"],
    "export_trim": ["-ss", str(third), "-t", str(third), "-i", clip, "-map", "0", "-c", "copy"],
    "export_720p": ["-i", clip, *scaled],
    "export_batch": scaled,
    "export_edges": None,
    "concat_copy": ["-f", "concat", "-safe", "0", "-i", folder + "/list", "-c", "copy"],
    "concat_many": ["-f", "concat", "-safe", "0", "-i", folder + "/list", "-c", "copy"],
}


def measure(*commands, environment=None):
    """Wall and processor seconds and MiB of commands one after another."""
    # To a new name, as people do: to replace a file makes the file system write the new one out first.
    for name in (folder + "/ours.mp4", folder + "/theirs.mp4"):
        os.path.exists(name) and os.unlink(name)
    begin = time.monotonic()
    processor, memory = 0.0, 0.0
    for command in commands:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            sys.exit(f"export.py: {' '.join(command)} failed")
        processor += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss / 1024)
    return time.monotonic() - begin, processor, memory


def short_clips(count=50):
    """Two seconds each, from different places of the clip, as small as what people upload."""
    os.makedirs(folder + "/made", exist_ok=True)
    if os.path.exists(folder + "/clips"):
        return
    os.mkdir(folder + "/clips")
    for number in range(count):
        subprocess.run([*ffmpeg, "-ss", str(number * third * 2 / count), "-i", clip, "-t", "2", "-s", "854x480",
                        *encode, f"{folder}/clips/{number:02}.mp4"], check=True)


def list_clips(clips):
    """What the command reads beside our folder."""
    with open(folder + "/list", "w") as file:
        file.writelines(f"file '{clips}/{name}'\n" for name in sorted(os.listdir(clips)))
    return clips


def three_copies():
    os.mkdir(folder + "/copies")
    for number in range(3):
        shutil.copy(clip, f"{folder}/copies/{number}.mp4")
    return folder + "/copies"


def ten_minutes():
    name = folder + "/long.mp4"
    times = int(600 / (third * 3))
    subprocess.run([*ffmpeg, "-stream_loop", str(times - 1), "-i", clip, "-c", "copy", name], check=True)
    return name


for job, arguments in JOBS.items():
    if wanted and job not in wanted:
        continue
    ours, theirs = [], []
    source, output, rival = clip, folder + "/ours.mp4", folder + "/theirs.mp4"
    if job == "export_batch":
        short_clips()
        source, output = folder + "/clips", folder + "/made"
        commands = [[*ffmpeg, "-i", f"{source}/{name}", *arguments, rival] for name in sorted(os.listdir(source))]
    elif job.startswith("concat_"):
        short_clips() if job == "concat_many" else None
        source = list_clips(folder + "/clips" if job == "concat_many" else three_copies())
        commands = [[*ffmpeg, *arguments, rival]]
    elif job == "export_edges":
        source = ten_minutes()
        commands = [[*ffmpeg, "-i", source, *encode, rival]]
    else:
        commands = [[*ffmpeg, *arguments, rival]]
    environment = dict(os.environ, FLOOR_OUT=output)
    for number in range(rounds):
        ours.append(measure([benchmarks, job.replace("_many", "_copy"), source, "0", "1"], environment=environment))
        # A full transcode of ten minutes takes them: once is enough for a ratio of twenty.
        if job != "export_edges" or number == 0:
            theirs.append(measure(*commands))
    theirs += theirs[:1] * (len(ours) - len(theirs))
    ratios = [statistics.median(a[i] / b[i] for a, b in zip(ours, theirs)) for i in range(3)]
    own, other = ([statistics.median(r[i] for r in runs) for i in range(3)] for runs in (ours, theirs))
    print(f"{job:14} ours {own[0]:.3f} s wall {own[1]:.3f} s cpu {own[2]:.0f} MiB, ffmpeg {other[0]:.3f} {other[1]:.3f} "
          f"{other[2]:.0f}: ratios {ratios[0]:.3f} wall {ratios[1]:.3f} cpu {ratios[2]:.2f} memory")
    sys.stdout.flush()
shutil.rmtree(folder)

#!/usr/bin/env python3
"""Python libraries doing the same jobs in process: peers.py pyav|cv2|decord|torchcodec CLIP [JOB ...]

One line a job. Stills are 320 pixels wide, RGB. The naive loops of libraries that decode anew from
the key frame for every time take 50 of the 200 random times: their cost is linear.
"""
import random
import statistics
import subprocess
import sys
import time

import numpy

library, clip, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
FRAME_RATE = 30
seconds = float(subprocess.run(
    ["ffprobe", "-v", "error", "-show_entries", "stream=duration", "-select_streams", "v:0", "-of",
     "csv=p=0", clip], capture_output=True, text=True, check=True).stdout)
frames = round(seconds * FRAME_RATE)
random.seed(42)
scattered = [random.randrange(frames) for _ in range(200)]


def even(count):
    return [seconds * (i + 0.5) / count for i in range(count)]


def indices(count):
    return [int(t * FRAME_RATE) for t in even(count)]


def measure(job, function, repetitions):
    if wanted and job.split()[0] not in wanted:
        return
    walls, processor, units = [], [], 0
    try:
        for _ in range(repetitions):
            cpu, wall = time.process_time(), time.perf_counter()
            units = function()
            walls.append(time.perf_counter() - wall)
            processor.append(time.process_time() - cpu)
    except Exception as error:
        print(f"{library:<11}{job:<26} FAILED {type(error).__name__}: {str(error)[:120]}", flush=True)
        return
    print(
        f"{library:<11}{job:<26} median {statistics.median(walls) * 1e3:>10.2f} ms"
        f"  cpu {statistics.median(processor) * 1e3:>10.2f} ms  units {units}", flush=True)


def pyav():
    import av

    def probe():
        with av.open(clip) as container:
            return len([(s.type, s.codec_context.name, s.duration) for s in container.streams])

    def thumbs(times, exact):
        with av.open(clip) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            if not exact:
                stream.codec_context.skip_frame = "NONKEY"
            count = 0
            for t in times:
                container.seek(int(t / stream.time_base), stream=stream, backward=True)
                for frame in container.decode(stream):
                    if not exact or float((frame.pts + frame.duration) * stream.time_base) > t:
                        frame.reformat(width=320, height=180, format="rgb24").to_ndarray()
                        count += 1
                        break
            return count

    def decode():
        with av.open(clip) as container:
            container.streams.video[0].thread_type = "AUTO"
            return sum(1 for _ in container.decode(video=0))

    def peaks():
        with av.open(clip) as container:
            count, rest = 0, numpy.empty(0, numpy.float32)
            for frame in container.decode(audio=0):
                samples = numpy.concatenate([rest, frame.to_ndarray()[0]])
                whole = len(samples) // 480 * 480
                rows = samples[:whole].reshape(-1, 480)
                if len(rows):
                    rows.min(1), rows.max(1)
                rest = samples[whole:]
                count += frame.samples
            return count

    measure("probe", probe, 15)
    measure("thumbs_key 1", lambda: thumbs([seconds / 2], False), 7)
    measure("thumbs_key 10", lambda: thumbs(even(10), False), 3)
    measure("thumbs_key 100", lambda: thumbs(even(100), False), 1)
    measure("thumbs_exact 1", lambda: thumbs([seconds / 2], True), 5)
    measure("thumbs_exact 10", lambda: thumbs(even(10), True), 3)
    measure("thumbs_exact 100", lambda: thumbs(even(100), True), 1)
    measure("thumbs_random 50", lambda: thumbs([i / FRAME_RATE + 1e-4 for i in scattered[:50]], True), 1)
    measure("decode", decode, 2)
    measure("peaks", peaks, 5)


def cv2():
    import cv2 as opencv

    def probe():
        capture = opencv.VideoCapture(clip)
        count = capture.get(opencv.CAP_PROP_FRAME_COUNT)
        capture.release()
        return int(count)

    def thumbs(wanted_frames):
        capture, count = opencv.VideoCapture(clip), 0
        for index in wanted_frames:
            capture.set(opencv.CAP_PROP_POS_FRAMES, index)
            ok, frame = capture.read()
            if ok:
                opencv.resize(frame, (320, 180), interpolation=opencv.INTER_AREA)
                count += 1
        capture.release()
        return count

    def decode():
        capture, count = opencv.VideoCapture(clip), 0
        while capture.grab():
            count += 1
        capture.release()
        return count

    measure("probe", probe, 15)
    measure("thumbs_exact 1", lambda: thumbs([frames // 2]), 5)
    measure("thumbs_exact 10", lambda: thumbs(indices(10)), 3)
    measure("thumbs_exact 100", lambda: thumbs(indices(100)), 1)
    measure("thumbs_random 50", lambda: thumbs(scattered[:50]), 1)
    measure("decode", decode, 2)


def decord():
    import decord as library_module
    from decord import AudioReader, VideoReader

    processor = library_module.cpu(0)

    def thumbs(wanted_frames):
        reader = VideoReader(clip, ctx=processor, width=320, height=180)
        return len(reader.get_batch(wanted_frames).asnumpy())

    def keys(wanted_frames):
        reader = VideoReader(clip, ctx=processor, width=320, height=180)
        key_frames = reader.get_key_indices()
        nearest = [max(k for k in key_frames if k <= i) for i in wanted_frames]
        return len(reader.get_batch(nearest).asnumpy())

    def decode():
        reader = VideoReader(clip, ctx=processor)
        for _ in range(len(reader)):
            reader.next()
        return len(reader)

    def peaks():
        samples = AudioReader(clip, ctx=processor, sample_rate=48000, mono=True)[:].asnumpy()[0]
        rows = samples[: len(samples) // 480 * 480].reshape(-1, 480)
        rows.min(1), rows.max(1)
        return len(samples)

    measure("probe", lambda: len(VideoReader(clip, ctx=processor)), 7)
    measure("thumbs_key 10", lambda: keys(indices(10)), 3)
    measure("thumbs_key 100", lambda: keys(indices(100)), 2)
    measure("thumbs_exact 1", lambda: thumbs([frames // 2]), 5)
    measure("thumbs_exact 10", lambda: thumbs(indices(10)), 3)
    measure("thumbs_exact 100", lambda: thumbs(indices(100)), 2)
    measure("thumbs_random 200 sorted", lambda: thumbs(sorted(scattered)), 1)
    measure("decode to RGB", decode, 2)
    measure("peaks", peaks, 3)


def torchcodec():
    from torchcodec.decoders import AudioDecoder, VideoDecoder
    from torchvision.transforms.v2.functional import resize

    def open_clip():
        return VideoDecoder(clip, num_ffmpeg_threads=0, dimension_order="NCHW")

    def thumbs(wanted_frames):
        return len(resize(open_clip().get_frames_at(indices=wanted_frames).data, [180, 320]))

    def decode():
        return sum(1 for _ in open_clip())

    def peaks():
        samples = AudioDecoder(clip, num_channels=1).get_all_samples().data[0]
        rows = samples[: len(samples) // 480 * 480].reshape(-1, 480)
        rows.amin(1), rows.amax(1)
        return len(samples)

    measure("probe", lambda: open_clip().metadata.num_frames, 7)
    measure("thumbs_exact 1", lambda: thumbs([frames // 2]), 5)
    measure("thumbs_exact 10", lambda: thumbs(indices(10)), 3)
    measure("thumbs_exact 100", lambda: thumbs(indices(100)), 1)
    measure("thumbs_random 200 sorted", lambda: thumbs(sorted(scattered)), 1)
    measure("decode", decode, 1)
    measure("peaks", peaks, 3)


{"pyav": pyav, "cv2": cv2, "decord": decord, "torchcodec": torchcodec}[library]()

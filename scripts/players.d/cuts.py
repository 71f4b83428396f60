"""Cuts of clips by mediakit, as headless Chromium and ffmpeg show them: picture for picture those of the range.

usage: cuts.py MEDIAKIT FOLDER     One line a cut; exit code 1 when one fails.
"""
import functools
import http.server
import os
import random
import subprocess
import sys
import threading
import urllib.parse
from time import sleep

from play import Handler, launch, wait

RATE = 25
SECONDS = 6
# Every picture says its number: the left third of the upper half its ones, the middle third its tens.
LUMA = "if(lt(X,W/3),16+20*mod(N,10),if(lt(X,2*W/3),16+20*mod(floor(N/10),10),126))"
CODERS = {
    "h264": ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "50"],
    "vp9": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "5", "-g", "50", "-b:v", "1M"],
    "av1": ["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-g", "50", "-b:v", "1M"],
}
# Source, codec, target, options: hidden by an edit list, or the edges encoded.
WAYS = [
    ("mp4", "h264", "mp4", []), ("mp4", "h264", "mp4", ["--clean-cut"]), ("mp4", "vp9", "mp4", []),
    ("webm", "vp9", "webm", ["--exact-cut"]), ("mp4", "av1", "mp4", []), ("webm", "av1", "webm", ["--exact-cut"]),
]
DIGITS = """
const canvas = document.createElement("canvas");
[canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
const context = canvas.getContext("2d");
context.drawImage(video, 0, 0);
return [1, 3].map(sixth => context.getImageData(canvas.width * sixth / 6, canvas.height / 4, 1, 1).data[1]);
"""


def number(ones, tens):
    """Of lumas of limited range."""
    return 10 * round((tens - 16) / 20) + round((ones - 16) / 20)


def shown_by_ffmpeg(path, width, height):
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-pix_fmt",
                          "yuv420p", "-f", "rawvideo", "-"], check=True, capture_output=True).stdout
    size = width * height * 3 // 2
    row = height // 4 * width
    return [number(raw[k + row + width // 6], raw[k + row + width // 2]) for k in range(0, len(raw), size)]


def shown_by_browser(driver, base, name, moments):
    driver.get(f"{base}/player.html?{urllib.parse.urlencode({'file': name})}")
    wait(driver, "video.readyState >= 2 && video.duration > 0", 20, "the first picture")
    numbers = []
    for wanted, time in moments.items():
        driver.execute_script("window.done = false; video.addEventListener('seeked', () => { window.done = true }, "
                              f"{{ once: true }}); video.currentTime = {time}")
        wait(driver, "window.done && video.readyState >= 2", 20, f"seeking to {time}")
        # A picture may come a moment after it was said to be there. The canvas has levels of full range.
        for _ in range(10):
            shown = number(*(16 + level / 255 * 219 for level in driver.execute_script(DIGITS)))
            if shown == wanted % 100:
                break
            sleep(0.05)
        numbers.append(shown)
    return numbers, driver.execute_script("return video.duration")


def check(driver, base, mediakit, folder, way, chosen):
    source, codec, target, options = way
    first, last = sorted(chosen.sample(range(1, SECONDS * 1000), 2))
    # Of edit lists that begin within a picture ffmpeg and Chromium drop it, and show the others too early by what is left
    # of it; our reader shows it (ExportCutTests). What begins with a picture all show alike.
    if not options:
        first = first * RATE // 1000 * 1000 // RATE
    last = min(max(last, first + 700), SECONDS * 1000)
    name = f"cut-{codec}-{first}-{last}{''.join(options)}.{target}"
    path = os.path.join(folder, name)
    subprocess.run([mediakit, "export", os.path.join(folder, f"source-{codec}.{source}"), "-o", path, "--preset",
                    "Passthrough", f"--from={first}/1000", f"--to={last}/1000", "--overwrite"] + options, check=True)
    wanted = [n for n in range(SECONDS * RATE) if (n + 1) * 1000 > first * RATE and n * 1000 < last * RATE]
    ffmpeg = shown_by_ffmpeg(path, 320, 180)
    # Packets that an edit list hides come out of ffmpeg's decoders of AV1 all the same.
    if ffmpeg != [n % 100 for n in wanted] and (options or codec != "av1"):
        raise RuntimeError(f"{name}: ffmpeg shows {len(ffmpeg)} pictures {ffmpeg[:3]}…{ffmpeg[-3:]}, not {wanted[0]}…{wanted[-1]}")
    moments = {}
    for n in wanted:
        start, end = max(n * 1000 // RATE, first), min((n + 1) * 1000 // RATE, last)
        # Blocks of WebM say no duration: Chromium holds the first picture for a whole one of the usual rate when it seeks.
        if options and start > first:
            start = max(start, max((n - 1) * 1000 // RATE, first) + 1000 // RATE)
        # Of shorter ones a browser's seconds may mean the next.
        if end - start >= 8:
            moments[n] = ((start + end) / 2 - first) / 1000
    numbers, duration = shown_by_browser(driver, base, name, moments)
    wrong = [(n, got) for n, got in zip(moments, numbers) if n % 100 != got]
    if wrong:
        raise RuntimeError(f"{name}: Chromium shows picture {wrong[0][1]} for {wrong[0][0]}, {len(wrong)} of {len(moments)} wrong")
    # Chromium counts hidden pictures behind the end, which the last ones lean on: x264's three B-frames and what they need.
    hidden = 0 if options else 4 / RATE
    allowed = 0.002 if options else 0.03
    if not -allowed <= duration - (last - first) / 1000 <= hidden + allowed:
        raise RuntimeError(f"{name}: Chromium says {duration} s, not {(last - first) / 1000} s")
    print(f"{name}: pictures {wanted[0]} to {wanted[-1]}, the same in ffmpeg ({len(ffmpeg)}) and Chromium "
          f"({len(numbers)} seeks); {duration:.3f} s", flush=True)


def main():
    mediakit, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    rounds = int(os.environ.get("CUTS", "3"))
    for source, codec in sorted({way[:2] for way in WAYS}):
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
                        f"testsrc2=s=320x180:r={RATE}:d={SECONDS}", "-f", "lavfi", "-i",
                        f"color=black:s=320x90:r={RATE}:d={SECONDS},format=yuv420p,geq=lum='{LUMA}':cb=128:cr=128",
                        "-f", "lavfi", "-i", f"sine=440:r=48000:d={SECONDS}", "-filter_complex",
                        "[0][1]overlay,format=yuv420p"]
                       # With sound in WebM ffmpeg would shift the pictures by what Opus needs to begin.
                       + (["-an"] if source == "webm" else ["-map", "2:a", "-c:a", "aac"])
                       + CODERS[codec]
                       + [os.path.join(folder, f"source-{codec}.{source}")], check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    chosen = random.Random(4)
    failures = 0
    driver = launch()
    try:
        for way in WAYS:
            for _ in range(rounds):
                try:
                    check(driver, f"http://127.0.0.1:{server.server_port}", mediakit, folder, way, chosen)
                except Exception as error:  # One line a cut, whatever went wrong.
                    failures += 1
                    print(f"{' '.join([way[1], way[2]] + way[3])}: FAILED: {str(error).splitlines()[0]}", flush=True)
    finally:
        driver.quit()
    sys.exit(1 if failures else 0)


main()

"""Plays and seeks every file of a folder in headless Chromium. One line a file; exit code 1 when one fails."""
import functools
import http.server
import os
import sys
import threading
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = os.path.abspath(sys.argv[-1])
DURATION = 10.0


class Handler(http.server.SimpleHTTPRequestHandler):
    """With byte ranges, which browsers need for seeking."""

    extensions_map = {".mp4": "video/mp4", ".webm": "video/webm", ".html": "text/html", "": "application/octet-stream"}

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = self.translate_path(self.path)
        wanted = self.headers.get("Range", "")
        if not wanted.startswith("bytes=") or not os.path.isfile(path):
            return super().do_GET()
        size = os.path.getsize(path)
        first, _, last = wanted[6:].partition("-")
        first = int(first)
        last = min(int(last) if last else size - 1, size - 1)
        self.send_response(206)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        with open(path, "rb") as file:
            file.seek(first)
            try:
                self.wfile.write(file.read(last - first + 1))
            except (BrokenPipeError, ConnectionResetError):
                pass


def wait(driver, expression, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        problems = driver.execute_script("return state.problems")
        if problems:
            raise RuntimeError("; ".join(problems))
        if driver.execute_script("return " + expression):
            return
        time.sleep(0.05)
    raise RuntimeError(f"waited {seconds} s for {what}")


# The mean of the upper half of the picture on show, 0 to 255: it gets brighter by 20 of 219 steps every second.
PICTURE = """
const canvas = document.createElement("canvas");
[canvas.width, canvas.height] = [64, 36];
const context = canvas.getContext("2d");
context.drawImage(video, 0, 0, video.videoWidth, video.videoHeight * 0.4, 0, 0, 64, 36);
const data = context.getImageData(0, 0, 64, 36).data;
let sum = 0;
for (let i = 0; i < data.length; i += 4) sum += data[i] + data[i + 1] + data[i + 2];
return sum / (data.length / 4 * 3);
"""


def play(driver, base, name, query):
    driver.get(f"{base}/player.html?{urllib.parse.urlencode(query)}")
    wait(driver, "video.readyState >= 2 && video.duration > 0 && isFinite(video.duration)", 20, "the first picture")
    if query["file"].endswith(".m3u8") or "codecs" in query:
        wait(driver, "!!state.buffered", 20, "the last segment")
    duration = driver.execute_script("return video.duration")
    size = driver.execute_script("return video.videoWidth + 'x' + video.videoHeight")
    driver.execute_script("video.play()")
    wait(driver, "video.currentTime > 1", 20, "a second of playing")
    played = driver.execute_script("return video.currentTime")
    frames = driver.execute_script("return video.getVideoPlaybackQuality().totalVideoFrames")
    sound = driver.execute_script("return video.webkitAudioDecodedByteCount")
    seeked = []
    for goal in (7.5, 0.5, 9.2, 4.0):
        driver.execute_script("window.done = false; video.pause();"
                              "video.addEventListener('seeked', () => { window.done = true }, { once: true });"
                              f"video.currentTime = {goal}")
        wait(driver, "window.done && video.readyState >= 2", 20, f"seeking to {goal}")
        mean = driver.execute_script(PICTURE)
        shown = mean / 255 * 219 / 20
        if abs(shown - goal) > 0.15:
            raise RuntimeError(f"seeking to {goal} shows the picture of {shown:.2f}")
        seeked.append(driver.execute_script("return video.currentTime"))
    driver.execute_script("video.currentTime = video.duration - 0.6; video.play()")
    wait(driver, "video.ended", 20, "the end")
    end = driver.execute_script("return video.currentTime")
    if abs(duration - DURATION) > 0.05 or abs(end - DURATION) > 0.05:
        raise RuntimeError(f"lasts {duration} s and ends at {end} s instead of {DURATION} s")
    if not sound or frames < 20:
        raise RuntimeError(f"{frames} pictures and {sound} bytes of sound decoded")
    print(f"{name}: {size}, {duration:.3f} s; played {played:.2f} s, {frames} pictures, {sound} bytes of sound; "
          f"seeked {' '.join(f'{t:.2f}' for t in seeked)}; ended at {end:.3f}", flush=True)


def launch():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
                     "--autoplay-policy=no-user-gesture-required"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=ROOT))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    driver = launch()
    print(driver.capabilities["browserName"], driver.capabilities["browserVersion"], flush=True)
    jobs = []
    for name in sorted(os.listdir(ROOT)):
        if name.startswith("fragmented"):
            jobs.append((name + " by MSE", {"file": name, "codecs": "avc1.64001E,mp4a.40.2"}))
        if name.endswith((".mp4", ".webm")):
            jobs.append((name, {"file": name}))
        master = os.path.join(ROOT, name, "master.m3u8")
        if os.path.exists(master):
            with open(master, encoding="utf-8") as file:
                count = file.read().count("#EXT-X-STREAM-INF")
            for variant in range(count):
                jobs.append((f"{name}/master.m3u8, variant {variant + 1} of {count}",
                             {"file": f"{name}/master.m3u8", "variant": variant}))
    failures = 0
    try:
        for name, query in jobs:
            try:
                play(driver, base, name, query)
            except Exception as error:  # One line a file, whatever went wrong.
                failures += 1
                print(f"{name}: FAILED: {str(error).splitlines()[0]}", flush=True)
    finally:
        driver.quit()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

"""Make the pictures of the app in docs/images, with a small run of its own.

`python tools/make_screenshots.py` needs what the browser tests need: chromium and its driver.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests"))

from browser import open_browser, open_server, set_screen, wait_for  # noqa: E402

FOLDER = ROOT / "docs" / "images"
RUN = "demo"
CHESS = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
# By picture: page, what it is asked for, what to press when it is there, dark or not.
PICTURES = {
    "play": ("/play", {"game": "chess", "start": CHESS}, ["Hint"], False),
    "network": ("/network", {"player": f"run:{RUN}"}, ["Signals"], False),
    "train": ("/train", {"runs": RUN}, [], False),
    "replay": ("/replay", {"run": RUN}, [], True),
}
PRESS = """
const all = [...document.querySelectorAll('button, .q-toggle')].filter(e => e.checkVisibility());
const found = all.find(e => e.innerText.split('\\n').includes(arguments[0])
  || e.ariaLabel === arguments[0]);
if (found) found.click(); return !!found"""


def main() -> None:
    """Train a run, show it, take the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train = [sys.executable, "-m", "evoboard", "train", "kingcapture-demo", "--run", RUN]
        here = {**os.environ, "EVOBOARD_RUNS": str(folder / "runs")}
        subprocess.run([*train, "-q"], env=here, check=True)
        with open_server(folder) as server, open_browser() as driver:
            for picture, (path, query, presses, dark) in PICTURES.items():
                set_screen(driver, 1280, 800, dark=dark)
                driver.get(f"{server.url}{path}?{urlencode(query)}")
                time.sleep(4)
                for text in presses:
                    wait_for(lambda text=text: driver.execute_script(PRESS, text), text)
                    time.sleep(2)
                driver.execute_script(
                    "document.querySelectorAll('.q-notification').forEach(e => e.remove())"
                )
                file = FOLDER / f"{picture}.webp"
                taken = {"format": "webp", "quality": 80}
                shot = driver.execute_cdp_cmd("Page.captureScreenshot", taken)
                file.write_bytes(base64.b64decode(shot["data"]))
                print(f"wrote {file.relative_to(ROOT)}, {file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()

"""The browser app while every core is busy: how soon a click shows its move, and a page loads."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.report import Row

sys.path.append(str(Path(__file__).parents[1] / "tests"))

CLICKS = 80
LOADS = 5
BOARD = "const b = getElement(document.querySelector('.board-row .evb').id.slice(1)).board;"
# Notes when the board is first drawn, and for each press on it when the board has moved a piece
# and when the server's answer has reached the list of moves; all in the page's own time.
WATCH = """
window.drawn = null; window.presses = [];
new MutationObserver(() => {
  if (window.drawn === null && document.querySelector('.evb-man'))
    requestAnimationFrame(() => { window.drawn ??= performance.now() });
  const last = window.presses.at(-1);
  if (!last) return;
  const count = document.querySelectorAll('button.evm-move').length;
  if (count > last.count && !last.told) last.told = performance.now();
}).observe(document, {childList: true, subtree: true});
addEventListener('pointerdown', (event) => {
  const count = document.querySelectorAll('button.evm-move').length;
  const press = {at: event.timeStamp, count};
  window.presses.push(press);
  setTimeout(() => {
    const b = getElement(document.querySelector('.board-row .evb').id.slice(1)).board;
    if (b.sent) requestAnimationFrame(() => { press.shown = performance.now() });
  });
}, true);
"""


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep every core at work by a training run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "evoboard", "train", "kingcapture-neat-01", "--quiet"]
        environment = {**os.environ, "EVOBOARD_RUNS": folder}
        trainer = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        try:
            time.sleep(8)  # until it plays
            yield
        finally:
            trainer.kill()
            trainer.wait()


def web_rows() -> list[Row]:
    """Clicks in Analysis with a player that judges every position, and first loads of Play."""
    try:
        from browser import CHROMEDRIVER, CHROMIUM, open_browser, open_server, set_screen
    except ImportError:
        return []
    if not (CHROMIUM and CHROMEDRIVER):
        return []
    with (
        tempfile.TemporaryDirectory() as folder,
        open_server(Path(folder)) as server,
        open_browser() as driver,
    ):
        set_screen(driver, 1280, 900)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        with busy_cores():
            presses = _click(driver, f"{server.url}/analysis?game=chess&player=material:depth=2")
            loads = [_load(driver, f"{server.url}/play") for _ in range(LOADS)]
    shown = [press["shown"] - press["at"] for press in presses if "shown" in press]
    told = [press["told"] - press["at"] for press in presses if "told" in press]
    assert len(shown) >= CLICKS * 0.9, f"only {len(shown)} moves were shown"
    return [
        _row("click to move shown, median", statistics.median(shown), 50),
        _row("click to move shown, 95%", _high(shown), 150),
        _row("click to server's answer shown, median", statistics.median(told), 0),
        _row("click to server's answer shown, 95%", _high(told), 0),
        _row("first load to board drawn, median", statistics.median(loads), 1500),
        _row("first load to board drawn, worst", max(loads), 0),
    ]


def _row(what: str, value: float, target: float) -> Row:
    return Row(what, value, "ms", target=target, lower_is_better=True)


def _high(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _load(driver: Any, url: str) -> float:
    """Return the milliseconds from the request to the drawn board, nothing being cached."""
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.get("about:blank")
    driver.get(url)
    return float(_until(driver, "return window.drawn"))


def _click(driver: Any, url: str) -> list[dict[str, float]]:
    """Play moves by clicks; return the times of the presses that made a move."""
    driver.get(url)
    _until(driver, "return window.drawn && window.did_handshake")
    for number in range(CLICKS):
        ready = (
            f"{BOARD} return !b.sent && b.moves.length && b.moves[{number * 7} % b.moves.length]"
        )
        move = _until(driver, ready)
        for cell in (move["cells"][0], move["cells"][-1]):
            place = f"""{BOARD} const [x, y] = b.geometry.centre({cell});
                const p = new DOMPoint(x, y).matrixTransform(b.svg.getScreenCTM());
                return [p.x, p.y]"""
            x, y = driver.execute_script(place)
            for kind in ("mousePressed", "mouseReleased"):
                event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
                driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)
        driver.execute_script("document.querySelector('.evb-popup button')?.click()")
        time.sleep(0.1)
    time.sleep(1)
    presses: list[dict[str, float]] = driver.execute_script("return window.presses")
    return presses


def _until(driver: Any, script: str) -> Any:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = driver.execute_script(f"try {{ {script} }} catch {{ return null }}")
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"nothing came of {script}")


GROUPS = {"web": web_rows}

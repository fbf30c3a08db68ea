"""A real browser and a real server for tests of pages: Debian's chromium, without a window.

`open_server()` starts `evoboard app` in a process of its own; `open_browser()` a headless chromium
that logs its console and every request.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
PATIENCE = 240.0  # seconds; where nothing is cached and others work, searches are compiled first


def require_browser() -> None:
    """Skip the tests of a module where there is no browser to test with."""
    pytest.importorskip("nicegui", reason="the extra web (NiceGUI) is not installed")
    pytest.importorskip("selenium", reason="selenium is not installed")
    if not CHROMIUM or not CHROMEDRIVER:
        missing = "chromium" if not CHROMIUM else "chromedriver"
        pytest.skip(f"{missing} is not installed", allow_module_level=True)


@dataclass
class Server:
    """A running app."""

    url: str
    folder: Path
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.terminate()
        self.process.wait(PATIENCE)


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def app_environment(folder: Path) -> dict[str, str]:
    """Return the environment of an app whose games and runs live in `folder`."""
    return {
        # NiceGUI behaves differently where it believes to be under test.
        **{key: value for key, value in os.environ.items() if not key.startswith("PYTEST")},
        "EVOBOARD_GAMES": str(folder / "games"),
        "EVOBOARD_RUNS": str(folder / "runs"),
        "EVOBOARD_REPORTS": str(folder / "reports"),
        "NICEGUI_STORAGE_PATH": str(folder / "nicegui"),
    }


def start_server(folder: Path, port: int = 0, *further: str) -> Server:
    """Start the app; its games and runs live in `folder`."""
    port, environment = port or free_port(), app_environment(folder)
    command = [sys.executable, "-m", "evoboard", "app", "--port", str(port), "--no-browser"]
    log = open(folder / "server.log", "ab")  # noqa: SIM115 - the process keeps it
    earlier = log.tell()  # what an app before it has told
    process = subprocess.Popen(
        [*command, *further], env=environment, stdout=log, stderr=subprocess.STDOUT
    )
    log.close()
    server = Server(f"http://127.0.0.1:{port}", folder, process)
    wait_for(lambda: _has_started(server, earlier), f"the server on port {port}")
    assert _answers(server), "the app told its address before it answered there"
    return server


@contextmanager
def open_server(folder: Path, *further: str) -> Iterator[Server]:
    """Run the app for a while."""
    server = start_server(folder, 0, *further)
    try:
        yield server
    finally:
        server.stop()


def _has_started(server: Server, earlier: int) -> bool:
    """Tell whether the app has printed its address; its log begins behind so many bytes."""
    told = (server.folder / "server.log").read_bytes()[earlier:].decode()
    if server.process.poll() is not None:
        raise AssertionError(told)
    return f"evoboard is at {server.url}" in told


def _answers(server: Server) -> bool:
    try:
        with urllib.request.urlopen(f"{server.url}/play", timeout=PATIENCE) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@contextmanager
def open_browser(width: int = 1280, height: int = 900) -> Iterator[Any]:
    """Run a browser with a fresh profile; its window has that size."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    profile = tempfile.mkdtemp(prefix="evoboard-browser-")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    os.environ.update(SE_OFFLINE="true", SE_AVOID_STATS="true")
    driver = webdriver.Chrome(options=options, service=Service(str(CHROMEDRIVER)))
    driver.set_script_timeout(PATIENCE)
    try:
        yield driver
    finally:
        driver.quit()
        shutil.rmtree(profile, ignore_errors=True)


def set_screen(driver: Any, width: int, height: int, *, dark: bool = False) -> None:
    """Give the page a size and the system a theme."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def wait_for(found: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    """Return what `found` returns as soon as it is true; AssertionError names what never came.

    It is asked ever less often: each question takes browser and driver some milliseconds, which
    whoever compiles meanwhile can use better.
    """
    end, pause = time.monotonic() + patience, 0.02
    while True:
        value = found()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience:.0f} s for {what}")
        time.sleep(pause)
        pause = min(1.2 * pause, 0.25)


def type_into(driver: Any, fields: str, keys: str, shown: bool = True) -> None:
    """Send keys to the first of the fields; again while the page is just replacing it."""
    from selenium.common.exceptions import StaleElementReferenceException

    def typed() -> bool:
        try:
            for field in driver.find_elements("css selector", fields):
                if not shown or field.is_displayed():
                    field.send_keys(keys)
                    return True
        except StaleElementReferenceException:
            pass
        return False

    wait_for(typed, f"the field {fields}")


def hand_over(driver: Any, file: Path) -> None:
    """Choose a file in the dialog that is open, or about to be."""
    type_into(driver, ".q-dialog input[type=file]", str(file), shown=False)


# What chromium says of any page that is left while it connects, as on a busy machine.
LEFT = "WebSocket is closed before the connection is established"


def console_errors(driver: Any) -> list[str]:
    """Return what the console has complained about since the last call."""
    told = [e["message"] for e in driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
    return [message for message in told if LEFT not in message]


def foreign_requests(driver: Any, url: str) -> list[str]:
    """Return every address outside the server that was asked for since the last call."""
    ours, found = urlsplit(url).netloc, []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        asked = {
            "Network.requestWillBeSent": lambda p: p["request"]["url"],
            "Network.webSocketCreated": lambda p: p["url"],
        }.get(message["method"])
        if asked:
            target = urlsplit(asked(message["params"]))
            local = target.scheme in ("data", "blob", "about", "chrome") or target.netloc == ours
            if not local:
                found.append(target.geturl())
    return found

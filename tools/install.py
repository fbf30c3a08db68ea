"""Install evoboard as it is in this folder, with what one of its extras needs.

    .venv/bin/python tools/install.py EXTRA

By uv, which takes seconds where pip takes a minute. It comes from where pip gets packages and
is given pip's settings, which it does not read itself. Where there is one that it does not have,
and where it cannot be had or fails, pip installs instead.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time

# pip's settings, as uv calls them in the environment, and what stands between several values.
SAME = {
    "index-url": ("UV_INDEX_URL", " "),
    "extra-index-url": ("UV_EXTRA_INDEX_URL", " "),
    "no-index": ("UV_NO_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "constraint": ("UV_CONSTRAINT", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "proxy": ("ALL_PROXY", " "),
}
# Those that do not change what is installed.
FREE = {
    *("disable-pip-version-check", "no-python-version-warning", "root-user-action", "no-input"),
    *("timeout", "default-timeout", "retries", "cache-dir", "no-cache-dir", "no-compile"),
    *("quiet", "verbose", "no-color", "progress-bar", "log", "no-warn-script-location"),
    *("require-virtualenv", "break-system-packages"),
}
SECTIONS = ("global", "install", ":env:")  # each overrules those before it
PLAIN = (sys.executable, "-m", "pip", "--disable-pip-version-check")
PIP = (*PLAIN, "--quiet")


def main() -> None:
    """Install; end as pip does where that has to do it."""
    what = ("--editable", f".[{sys.argv[1]}]")
    why_not = install_by_uv(what)
    if why_not:
        print(f"pip installs, which takes longer: {why_not}", flush=True)
        sys.exit(_work([*PIP, "install", "--no-compile", *what], stderr=None)[0])


def install_by_uv(what: tuple[str, ...]) -> str:
    """Install by uv; return why it cannot be done, or nothing."""
    talking = {name: value for name, value in os.environ.items() if name != "PIP_QUIET"}
    told = subprocess.run(
        [*PLAIN, "config", "list"], env=talking, capture_output=True, text=True, check=False
    )
    if told.returncode:
        return "pip does not tell its settings"
    try:
        settings = as_uv_has_them(told.stdout)
    except ValueError as error:
        return str(error)
    get = [*PIP, "install", "--no-compile", "--only-binary", ":all:", "uv"]
    if _work(get)[0]:
        return "uv cannot be had here"
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", sys.executable]
    code, told = _work([*command, *what], env={**settings, **os.environ})
    return f"uv fails: {told.strip()}" if code else ""


def _work(
    command: list[str], *, stderr: int | None = subprocess.PIPE, env: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run a command; return its status and what it complains of, unless that is seen anyway.

    A terminal shows how long it takes: over a slow line that is minutes.
    """
    began, shown = time.monotonic(), sys.stdout.isatty()
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.DEVNULL, stderr=stderr, text=True
    )
    while True:
        try:
            _, told = process.communicate(timeout=1)
            break
        except subprocess.TimeoutExpired:
            if shown:
                waited = time.monotonic() - began
                print(f"\rinstalling what evoboard needs: {waited:.0f} s", end="", flush=True)
    print("\r\033[K" * shown, end="", flush=True)
    return process.returncode, told or ""


def as_uv_has_them(listed: str) -> dict[str, str]:
    """Return the environment that has uv install what pip would, from `pip config list`.

    ValueError where pip has a setting that uv has not.
    """
    found: dict[str, str] = {}
    for section in SECTIONS:
        for line in listed.splitlines():
            name, _, value = line.partition("=")
            if name.startswith(f"{section}."):
                found[name.removeprefix(f"{section}.")] = ast.literal_eval(value)
    unknown = sorted(found.keys() - SAME.keys() - FREE)
    if unknown:
        raise ValueError(f"uv does not have pip's setting {unknown[0]}")
    # As pip does: the best version of all places, and whom the system trusts.
    chosen = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_SYSTEM_CERTS": "true"}
    for name, (known_as, between) in SAME.items():
        if name in found:
            chosen[known_as] = between.join(found[name].split())
    return chosen


if __name__ == "__main__":
    main()

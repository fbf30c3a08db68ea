"""How `make` installs: uv gets pip's settings, and pip installs where uv cannot."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools"
WITHOUT_UV = "if 'uv' in sys.argv: sys.exit(1)"
WITH_A_SETTING = "if 'config' in sys.argv: print(\"install.user='yes'\")"


@pytest.fixture
def install(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("install")


def test_uv_gets_the_settings_of_pip(install):
    found = install.as_uv_has_them(
        ":env:.find-links='/one'\n"
        "download.index-url='https://not.for/installing'\n"
        "global.extra-index-url='\\nfile:///first\\nfile:///second'\n"
        "global.find-links='/two'\n"
        "global.timeout='60'\n"
        "install.find-links='/three /four'\n"
        "install.index-url='https://index.example/simple?a=b'\n"
    )
    assert found == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_SYSTEM_CERTS": "true",
        "UV_INDEX_URL": "https://index.example/simple?a=b",
        "UV_EXTRA_INDEX_URL": "file:///first file:///second",
        "UV_FIND_LINKS": "/one",
    }
    assert install.as_uv_has_them("global.find-links='a b'")["UV_FIND_LINKS"] == "a,b"


def test_pip_tells_its_settings_though_it_is_to_be_quiet(install, monkeypatch):
    given = {}
    monkeypatch.setenv("PIP_CONSTRAINT", "pinned.txt")
    monkeypatch.setenv("PIP_QUIET", "1")
    monkeypatch.setattr(install, "as_uv_has_them", lambda text: given.update(text=text) or {})
    monkeypatch.setattr(install, "PIP", (sys.executable, "-c", "raise SystemExit(1)"))
    assert install.install_by_uv(("nothing",)) == "uv cannot be had here"
    assert ":env:.constraint='pinned.txt'" in given["text"]


def test_a_setting_that_uv_does_not_have_is_named(install):
    with pytest.raises(ValueError, match="uv does not have pip's setting no-binary"):
        install.as_uv_has_them("global.no-binary=':all:'\n")


@pytest.mark.parametrize(
    "pip, why", [(WITHOUT_UV, "uv cannot be had here"), (WITH_A_SETTING, "pip's setting user")]
)
def test_where_uv_cannot_pip_installs(install, pip, why, monkeypatch, tmp_path, capsys):
    calls = tmp_path / "calls"
    log = f"import sys\nopen({str(calls)!r}, 'w').write(' '.join(sys.argv[1:]))\n"
    (tmp_path / "pip.py").write_text(log + pip)
    for name in ("PIP", "PLAIN"):
        monkeypatch.setattr(install, name, (sys.executable, str(tmp_path / "pip.py")))
    monkeypatch.setattr(sys, "argv", ["install.py", "dev"])
    with pytest.raises(SystemExit, match=r"^0$"):
        install.main()
    assert why in capsys.readouterr().out
    assert calls.read_text() == "install --no-compile --editable .[dev]"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_shows_how_long_it_takes(install, terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    slow = "import sys, time; time.sleep(1.3); sys.exit('no room')"
    code, told = install._work([sys.executable, "-c", slow])
    assert (code, told.strip()) == (1, "no room")
    assert ("\rinstalling what evoboard needs: 1 s" in capsys.readouterr().out) is terminal

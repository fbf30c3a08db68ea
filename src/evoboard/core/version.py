"""Which version of evoboard this is."""

from __future__ import annotations


def program_version() -> str:
    """Return this program's version."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version("evoboard")
    except PackageNotFoundError:
        return "unknown"

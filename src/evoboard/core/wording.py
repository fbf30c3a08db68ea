"""Numbers, articles and lists as sentences need them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return so many of something: 1 generation, 2,000 generations, 1 ply, 2 plies."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def with_article(noun: str) -> str:
    """Return a noun after its article: a search, an encoder."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words as people list them: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def some_of(words: Sequence[str], most: int = 8, last: str = "and") -> str:
    """Return the first words of a long list, and how many there are beside them."""
    if len(words) <= most + 1:
        return listed(words, last)
    return f"{', '.join(words[:most])} {last} {len(words) - most:,} more"


def nearest(name: str, known: Iterable[str], most: int = 3, cutoff: float = 0.6) -> list[str]:
    """Return the known names that are most like a name, whatever their letters' case."""
    lower = {each.lower(): each for each in sorted(known)}
    found = difflib.get_close_matches(name.lower(), list(lower), n=most, cutoff=cutoff)
    return [lower[each] for each in found]


def by_file_name(text: str) -> str:
    """Return a part's text with a user's file by its name alone, without its folders."""
    return re.sub(r"^.*[/\\](?=[^/\\]*\.py\b)", "", text)


def readable(text: str) -> str:
    """Return a text without what cannot be written or sent: halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


def share_words(share: float, low: float, high: float, digits: int = 0) -> str:
    """Return a share with how far it may be off, by the ends of its interval: 61% ± 4."""
    off = max(high - share, share - low)
    return f"{100 * share:.{digits}f}% ± {100 * off:.{digits}f}"


def elo_words(elo: float, low: float, high: float) -> str:
    """Return an Elo difference with the ends of its interval: +12 (-5 … +30)."""
    return f"{elo:+.0f} ({low:+.0f} … {high:+.0f})"


def duration(seconds: float) -> str:
    """Return about how long something takes: 45 s, 9 min, 2 h 05 min."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def as_name(text: str, most: int, otherwise: str) -> str:
    """Return a text as a name of a file or folder: letters, digits, and - _ . inside."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:most].strip("-._") or otherwise

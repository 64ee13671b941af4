"""What an author may have meant: names near an unknown one."""

from __future__ import annotations

from collections.abc import Iterable

_MOST = 8


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence with the nearest of the known names, or with all of them if they are few; empty if there is none."""
    import difflib

    names = list(dict.fromkeys(known))
    folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if near:
        return f"Did you mean `{folded[near[0]]}`?"
    if not names:
        return ""
    shown = ", ".join(f"`{candidate}`" for candidate in names[:_MOST])
    return f"There is {shown}{', …' if len(names) > _MOST else ''}."

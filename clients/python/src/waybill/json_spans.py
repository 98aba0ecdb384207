"""Where values stand in a JSON text, without building them and whatever their depth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder

_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|[^][{}",:\s]+')
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]')
_decoder = JSONDecoder()


def skip_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def end_of_value(text: str, at: int) -> int:
    try:
        return _decoder.raw_decode(text, at)[1]
    except (RecursionError, ValueError):
        return _end_by_marks(text, at)


def _end_by_marks(text: str, at: int) -> int:
    """Slower, for what is nested deeper than the interpreter's stack, or has a number longer than it converts."""
    if text[at : at + 1] not in ("[", "{"):
        scalar = _SCALAR.match(text, at)
        if not scalar:
            raise ValueError(f"no JSON value at character {at}")
        return scalar.end()
    depth = 0
    for mark in _MARKS.finditer(text, at):
        if mark.group() in "[{":
            depth += 1
        elif mark.group() in "]}":
            depth -= 1
            if depth == 0:
                return mark.end()
    raise ValueError(f"the JSON value at character {at} does not end")


def members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Key, start and end of each value of the object at this place."""
    at = skip_blank(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = _decoder.raw_decode(text, at)
        start = skip_blank(text, skip_blank(text, at) + 1)
        end = end_of_value(text, start)
        yield key, start, end
        at = skip_blank(text, end)
        if text[at : at + 1] == ",":
            at = skip_blank(text, at + 1)


def elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Start and end of each value of the array at this place."""
    at = skip_blank(text, at + 1)
    while text[at : at + 1] not in ("]", ""):
        end = end_of_value(text, at)
        yield at, end
        at = skip_blank(text, end)
        if text[at : at + 1] == ",":
            at = skip_blank(text, at + 1)

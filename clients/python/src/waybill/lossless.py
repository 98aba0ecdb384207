"""Reads and writes JSON without losing anything: exact numbers, repeated keys, any depth.

`loads` returns integers as `int`, all other numbers as `Decimal` (`1.0` keeps its zero), and objects as `JsonObject`, a dict that also
has every pair, in order, with repeated keys. `dumps` writes these, and plain Python values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_TOKEN = re.compile(r'[ \t\n\r]*(?:(?P<mark>[][{},:])|(?P<string>")|(?P<word>[^][{},:"\s]+)|(?P<end>$))')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<rest>\.[0-9]+)?(?P<power>[eE][-+]?[0-9]+)?")
_decoder = json.JSONDecoder()
_WORDS = {"null": None, "true": True, "false": False}


class JsonObject(dict[str, Any]):
    """As a dict it has the last value of each key; `pairs` has all of them, in order."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def loads(text: str) -> Any:
    return read(text, JsonObject, _exact_number)


def read(text: str, make_object: Callable[[list[tuple[str, Any]]], Any], make_number: Callable[[str], Any]) -> Any:
    """Keeps open arrays and objects in a list of its own, so that memory alone limits the depth."""
    outer: list[_Open] = []
    inner = _Open("", [])
    for token, value in _tokens(text, make_number):
        if token in ",:":
            inner.separate(token)
        elif token in "[{":
            inner.expect_value(token)
            outer.append(inner)
            inner = _Open(token, [])
        else:
            if token in "]}":
                items = inner.close(token)
                value = make_object(items) if token == "}" else items
                inner = outer.pop()
            else:
                inner.expect_value(token)
            inner.add(value)
    if outer or len(inner.items) != 1:
        raise ValueError("not one JSON value")
    return inner.items[0]


@dataclass
class _Open:
    """An array or object whose end has not come; with an empty mark, the whole text."""

    mark: str
    items: list[Any]
    key: str | None = None
    last: str = "mark"
    """What came last: its mark, a key, a colon, a value or a comma."""

    def expect_value(self, token: str) -> None:
        is_key = self.mark == "{" and self.key is None
        after = ("mark", "comma") if is_key or self.mark != "{" else ("colon",)
        if self.last not in after or (is_key and token != '"'):
            raise ValueError(f"a value or key where none may be, after a {self.last}")

    def add(self, value: Any) -> None:
        if self.mark == "{" and self.key is None:
            self.key, self.last = value, "key"
            return
        self.items.append(value if self.mark != "{" else (self.key, value))
        self.key, self.last = None, "value"

    def separate(self, token: str) -> None:
        if self.last != ("key" if token == ":" else "value") or self.mark == "":
            raise ValueError(f"a {token!r} where none may be")
        self.last = "colon" if token == ":" else "comma"

    def close(self, token: str) -> list[Any]:
        if self.mark != ("[" if token == "]" else "{") or self.last not in ("mark", "value"):
            raise ValueError(f"a {token!r} where none may be")
        return self.items


def _tokens(text: str, make_number: Callable[[str], Any]) -> Iterator[tuple[str, Any]]:
    """Marks as they are; a string as '"', a word or number as '0', each with its value."""
    at = 0
    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"not JSON at character {at}")
        at = token.end()
        if token["mark"]:
            yield token["mark"], None
        elif token["string"]:
            value, at = _decoder.raw_decode(text, at - 1)
            yield '"', value
        elif token["word"]:
            word = token["word"]
            yield "0", _WORDS[word] if word in _WORDS else make_number(word)
        else:
            return


def _exact_number(text: str) -> int | Decimal:
    number = _NUMBER.fullmatch(text)
    if number is None:
        raise ValueError(f"not JSON: {text[:40]}")
    # An int has no minus zero.
    return int(text) if not number["rest"] and not number["power"] and text != "-0" else Decimal(text)


def plain_number(text: str) -> int | float:
    """As json.loads reads it."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"not JSON: {text[:40]}")
    return int(text) if text.lstrip("-").isdigit() else float(text)


def double(text: str) -> float:
    """As ECMAScript reads it."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"not JSON: {text[:40]}")
    return float(text)


def dumps(value: Any) -> str:
    """JSON text of a value of `loads`, or of plain Python values."""
    return write(value, _scalar)


def _scalar(value: Any) -> str:
    if not isinstance(value, Decimal):
        return json.dumps(value, allow_nan=False)
    if not value.is_finite():
        raise ValueError(f"{value} is no JSON number")
    return str(value)


def write(value: Any, scalar: Callable[[Any], str]) -> str:
    """JSON text, with texts and numbers as `scalar` writes them."""
    written: list[str] = []
    # A stack of what is still to be written: texts as they are, and values in a tuple.
    waiting: list[str | tuple[Any]] = [(value,)]
    while waiting:
        this = waiting.pop()
        if isinstance(this, str):
            written.append(this)
            continue
        (value,) = this
        if isinstance(value, dict):
            pairs = value.pairs if isinstance(value, JsonObject) else list(value.items())
            waiting.append("}")
            for index in range(len(pairs) - 1, -1, -1):
                key, item = pairs[index]
                if not isinstance(key, str):
                    raise TypeError(f"a key of an object must be a string, not {key!r}")
                waiting += [(item,), ("," if index > 0 else "") + scalar(key) + ":"]
            waiting.append("{")
        elif isinstance(value, (list, tuple)):
            waiting.append("]")
            for index in range(len(value) - 1, -1, -1):
                waiting += [(value[index],), "," if index > 0 else ""]
            waiting.append("[")
        else:
            written.append(scalar(value))
    return "".join(written)

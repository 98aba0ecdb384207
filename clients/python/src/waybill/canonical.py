"""The canonical form of JSON (RFC 8785), of which messages have the hash."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

from . import lossless


def canonical(text: str) -> str:
    """Of JSON as ECMAScript reads it: all numbers are doubles, and the last of repeated keys counts. Raises ValueError if there is no such form."""
    return lossless.write(lossless.read(text, _sorted, lossless.double), scalar)


def scalar(value: Any) -> str:
    """A lone surrogate, which the RFC forbids, is escaped as ECMAScript does it."""
    if isinstance(value, float):
        return _number(value)
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _sorted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """By UTF-16 code units."""
    return dict(sorted(dict(pairs).items(), key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass")))


def _number(value: float) -> str:
    """As ECMAScript writes it."""
    if not math.isfinite(value):
        raise ValueError("a number beyond the range of a double")
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    point = len(digits) + int(exponent)
    text = "".join(map(str, digits)).rstrip("0")
    if 0 < point <= 21:
        text = text.ljust(point, "0")
        text = text[:point] + ("." + text[point:] if len(text) > point else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1:+d}"
    return "-" * sign + text

"""A request that can be described without being made, so that both clients share it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from urllib.parse import quote

T = TypeVar("T")


@dataclass(frozen=True)
class Call(Generic[T]):
    """What to ask, and how to read the response."""

    method: str
    path: str
    read: Callable[[str], T]
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    is_repeatable: bool = True
    """Whether it may be made again when nobody knows what became of it."""
    patience: float = 0
    """Seconds to wait for the response, beyond the client's time-out."""


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]
    next_cursor: str | None
    fields: dict[str, Any] = field(default_factory=dict)
    """What the response has beside the items."""


@dataclass(frozen=True)
class Paged(Call[Page[T]]):
    """A list. `client.items()` gives all its items, `client.pages()` page by page."""

    def after(self, page: Page[T]) -> Paged[T] | None:
        """The call for the next page; None after the last one."""
        return None if page.next_cursor is None else replace(self, query={**self.query, "cursor": page.next_cursor})


def call(
    method: str,
    template: str,
    read: Callable[[str], Any] | None = json.loads,
    *,
    path: Sequence[str] = (),
    query: Mapping[str, Any] | None = None,
    body: object = None,
    is_repeatable: bool | None = None,
) -> Call[Any]:
    return Call(
        method,
        _filled(template, path),
        read or _nothing,
        query=query_text(query or {}),
        body=None if body is None else json_bytes(body),
        is_repeatable=method != "POST" if is_repeatable is None else is_repeatable,
    )


def paged(
    method: str,
    template: str,
    read: Callable[[str], Page[Any]] | None = None,
    *,
    path: Sequence[str] = (),
    query: Mapping[str, Any] | None = None,
) -> Paged[Any]:
    return Paged(method, _filled(template, path), read or _plain_page, query=query_text(query or {}))


def json_bytes(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can express
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def query_text(query: Mapping[str, Any]) -> dict[str, str]:
    """`from_` stands for `from`, a keyword of Python; None is left out."""
    texts = {name.rstrip("_"): value for name, value in query.items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in texts.items()}


def _filled(template: str, values: Sequence[str]) -> str:
    """The path, with a value for each name in braces."""
    first, *others = template.split("{")
    return first + "".join(quote(value, safe="") + part.partition("}")[2] for value, part in zip(values, others, strict=True))


def _nothing(_: str) -> None:
    return None


def _plain_page(text: str) -> Page[Any]:
    fields = json.loads(text)
    return Page(fields.pop("data"), fields["next_cursor"], fields)

"""A message, and how it is read from a response without losing the text of its `json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from . import lossless
from .call import Page
from .json_spans import elements, members, skip_blank

if TYPE_CHECKING:
    from . import types


@dataclass(frozen=True, repr=False)
class Message:
    """A message, as both parties see it."""

    envelope: types.Envelope
    """All fields as the API returns them, except for `json`."""
    json_text: str | None
    """The payload byte for byte as it was sent; None if there is none, or in a summary."""
    is_replayed: bool = field(default=False, compare=False)
    """Of what `send` returned: whether an earlier request with the same idempotency key had sent it, so that nothing was sent."""
    body_differs: bool = field(default=False, compare=False)
    """Of what `send` returned: whether that request is known to have asked for another message."""
    promise: str | None = field(default=None, compare=False)
    """Of what `send` returned: the signed promise that the message will be in the log. Keep it until you have the proof."""

    def __repr__(self) -> str:
        return f"Message({self.id!r}, type={self.type!r}, subject={self.subject!r})"

    def json(self) -> Any:
        """The payload as json.loads reads it: the last of repeated keys, floats for numbers with a point."""
        if self.json_text is None:
            return None
        try:
            return json.loads(self.json_text)
        except RecursionError:
            return lossless.read(self.json_text, dict, lossless.plain_number)

    def lossless_json(self) -> Any:
        """The payload with exact numbers and repeated keys; see waybill.lossless."""
        return None if self.json_text is None else lossless.loads(self.json_text)

    @property
    def id(self) -> str:
        return self.envelope["id"]

    @property
    def thread_id(self) -> str:
        return self.envelope["thread_id"]

    @property
    def in_reply_to(self) -> str | None:
        return self.envelope["in_reply_to"]

    @property
    def from_(self) -> types.EnvelopeFrom:
        return self.envelope["from"]

    @property
    def to(self) -> types.EnvelopeTo:
        return self.envelope["to"]

    @property
    def type(self) -> str | None:
        return self.envelope["type"]

    @property
    def subject(self) -> str | None:
        return self.envelope["subject"]

    @property
    def note(self) -> str | None:
        return self.envelope["note"]

    @property
    def files(self) -> list[types.File]:
        return self.envelope["files"]

    @property
    def validation(self) -> types.Validation:
        return self.envelope["validation"]

    @property
    def received_at(self) -> str:
        return self.envelope["received_at"]

    @property
    def receipt_url(self) -> str:
        return self.envelope["receipt_url"]


@dataclass(frozen=True)
class Leased:
    """A message that a worker holds until `lease_until`."""

    message: Message
    tries: int
    lease_until: str
    position: str


def message_of(text: str) -> Message:
    return _message_at(text, skip_blank(text, 0))


def page_of_messages(text: str) -> Page[Message]:
    messages, rest = _data_of(text)
    return Page([_message_at(text, at) for at, _ in messages], rest["next_cursor"], rest)


def leased_messages(text: str) -> list[Leased]:
    return [_leased_at(text, at) for at, _ in _data_of(text)[0]]


def _message_at(text: str, at: int) -> Message:
    """Everything but `json` is parsed: that may be nested deeper than a parser goes."""
    parts: list[str] = []
    json_text = None
    for key, start, end in members(text, at):
        if key == "json":
            json_text = text[start:end]
        else:
            parts.append(f"{json.dumps(key)}:{text[start:end]}")
    fields: dict[str, Any] = json.loads("{" + ",".join(parts) + "}")
    promise = fields.pop("promise", None)
    return Message(cast("types.Envelope", fields), None if fields["json_sha256"] is None else json_text, promise=promise)


def _leased_at(text: str, at: int) -> Leased:
    spans = {key: (start, end) for key, start, end in members(text, at)}
    tries, lease_until, position = (json.loads(text[slice(*spans[key])]) for key in ("tries", "lease_until", "position"))
    return Leased(_message_at(text, spans["message"][0]), tries, lease_until, position)


def _data_of(text: str) -> tuple[list[tuple[int, int]], dict[str, Any]]:
    """Where the items of a list stand, and its other fields."""
    items: list[tuple[int, int]] = []
    rest: dict[str, Any] = {}
    for key, start, end in members(text, skip_blank(text, 0)):
        if key == "data":
            items = list(elements(text, start))
        else:
            rest[key] = json.loads(text[start:end])
    return items, rest

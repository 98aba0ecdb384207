"""What `send` and `reply` ask of the service."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import operations, types
from .call import Call, json_bytes
from .errors import HashMismatch
from .message import Message, message_of
from .steps import Service, Steps
from .transfers import Uploaded, upload

if TYPE_CHECKING:
    from typing_extensions import NotRequired

AcknowledgementStatus = Literal["accepted", "rejected", "processed"]


class Fields(TypedDict, total=False):
    """Of a message or reply. All may be left out."""

    type: str | None
    """Your label for this kind of message."""
    subject: str | None
    """A line for people."""
    note: str | None
    """A text for people."""
    json: Any
    """The payload, any value that json.dumps takes."""
    json_text: str
    """Instead of `json`: the payload as JSON text, which arrives byte for byte."""
    files: Sequence[Uploaded | str | Path]
    """What `upload` returned, ids of uploads, or paths of files, which are uploaded first."""
    idempotency_key: str
    """Your own name for this message, such as an order number: within 24 hours it is delivered once. Made for you if you give none."""


class Destination(TypedDict):
    to: NotRequired[str]
    in_reply_to: NotRequired[str]


def send(service: Service, destination: Destination, fields: Fields) -> Steps[Message]:
    uploads = yield from uploaded(service, fields)
    body = body_of(destination, fields, uploads)
    # All tries have the same key, so that the message is delivered once, whatever became of a try.
    headers = {"idempotency-key": fields.get("idempotency_key") or str(uuid.uuid4())}
    call = Call("POST", "/v1/messages", message_of, headers=headers, body=body)
    response = yield from service.respond(call)
    is_replayed, body_differs = (response.headers.get(f"idempotent-{name}") == "true" for name in ("replayed", "body-differs"))
    message = replace(call.read(response.content.decode()), is_replayed=is_replayed, body_differs=body_differs)
    if body_differs:
        key = headers["idempotency-key"]
        warnings.warn(f"Nothing was sent: the idempotency key {key} was used for another message before, {message.id}.", stacklevel=2)
        return message
    for sent, arrived in zip(uploads, message.files, strict=False):
        # Files over 100 MB are hashed after delivery: then there is nothing to compare yet.
        if isinstance(sent, Uploaded) and arrived["sha256"] not in (None, sent.sha256):
            raise HashMismatch(f"{arrived['filename']} arrived as {arrived['sha256']} in {message.id}, but was {sent.sha256}.")
    return message


def acknowledge(message: Message | str, status: AcknowledgementStatus, reason: str | None) -> Call[types.Acknowledgement]:
    id = message if isinstance(message, str) else message.id
    # A repeated acknowledgement returns the first one, so it is safe to retry.
    return replace(operations.post_messages_id_acknowledge(id, {"status": status, "reason": reason}), is_repeatable=True)


def uploaded(service: Service, fields: Fields) -> Steps[list[Uploaded | str]]:
    uploads: list[Uploaded | str] = []
    for file in fields.get("files", ()):
        uploads.append((yield from upload(service, file)) if isinstance(file, Path) else file)
    return uploads


def body_of(destination: Destination, fields: Fields, uploads: Sequence[Uploaded | str]) -> bytes:
    if "json" in fields and "json_text" in fields:
        raise TypeError("give json or json_text, not both")
    files = [each if isinstance(each, str) else each.upload_id for each in uploads]
    plain: dict[str, object] = {**destination, **({"files": files} if files else {})}
    for name in ("type", "subject", "note"):
        if fields.get(name) is not None:
            plain[name] = fields.get(name)
    if "json_text" in fields:
        payload = fields["json_text"].encode()
    elif "json" in fields:
        payload = json_bytes(fields["json"])
    else:
        return json_bytes(plain)
    return json_bytes(plain)[:-1] + b',"json":' + payload + b"}"

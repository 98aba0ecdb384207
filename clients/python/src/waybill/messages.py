"""What `send` and `reply` ask of the service."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import operations, types
from .call import Call, call, json_bytes
from .errors import Conflict, HashMismatch
from .message import Message, message_of
from .statements import files_hash, has_its_json, mismatch, recipient_name, require_content
from .steps import Service, Steps
from .transfers import Uploaded, upload

if TYPE_CHECKING:
    from typing_extensions import NotRequired

AcknowledgementStatus = Literal["accepted", "rejected", "processed"]
NUMBERS_MAX = 3
"""Signatures of one acknowledgement, while its number is taken by something else that happens to the message."""


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


class Said(TypedDict):
    """What the recipient of a message says of it."""

    status: AcknowledgementStatus
    reason: NotRequired[str | None]


class ReplyFields(Fields, total=False):
    acknowledge: Said
    """Acknowledges the message in the same request: both are done, or neither. A client that signs can't: it signs an acknowledgement on its own."""
    to: str
    """The handle of the other party, perhaps with another segment. Needed to sign a reply to somebody whose business has claimed a handle since."""


class Destination(TypedDict):
    to: NotRequired[str]
    in_reply_to: NotRequired[str]
    acknowledge: NotRequired[Said]


def reply(service: Service, message: Message | str, fields: ReplyFields) -> Steps[Message]:
    if service.signer and isinstance(message, Message):
        yield from know(service, message)
    destination: Destination = {"in_reply_to": id_of(message)}
    if "to" in fields:
        destination["to"] = fields["to"]
    if "acknowledge" in fields:
        if service.signer:
            raise TypeError("a signed reply can't acknowledge: call acknowledge, which signs it")
        destination["acknowledge"] = fields["acknowledge"]
    return (yield from send(service, destination, fields))


def send(service: Service, destination: Destination, fields: Fields) -> Steps[Message]:
    uploads = yield from uploaded(service, fields)
    body = body_of(destination, fields, uploads)
    # All tries have the same key, so that the message is delivered once, whatever became of a try.
    headers = {"idempotency-key": fields.get("idempotency_key") or str(uuid.uuid4())}
    if service.signer:
        headers["waybill-recipient"] = yield from recipient_of(service, destination)
        hashes = [each.sha256 for each in uploads if isinstance(each, Uploaded)]
        # Without the hash of each file, the files are not covered.
        if hashes and len(hashes) == len(uploads):
            headers["waybill-files"] = files_hash(hashes)
    request = Call("POST", "/v1/messages", message_of, headers=headers, body=body)
    response = yield from service.respond(request)
    is_replayed, body_differs = (response.headers.get(f"idempotent-{name}") == "true" for name in ("replayed", "body-differs"))
    message = replace(request.read(response.content.decode()), is_replayed=is_replayed, body_differs=body_differs)
    if body_differs:
        key = headers["idempotency-key"]
        warnings.warn(f"Nothing was sent: the idempotency key {key} was used for another message before, {message.id}.", stacklevel=2)
        return message
    for sent, arrived in zip(uploads, message.files, strict=False):
        # Files over 100 MB are hashed after delivery: then there is nothing to compare yet.
        if isinstance(sent, Uploaded) and arrived["sha256"] not in (None, sent.sha256):
            raise HashMismatch(f"{arrived['filename']} arrived as {arrived['sha256']} in {message.id}, but was {sent.sha256}.")
    return message


def recipient_of(service: Service, destination: Destination) -> Steps[str]:
    """Who is to get a message: for a reply, the other party of the message that it replies to."""
    if "to" in destination:
        return recipient_name(destination["to"])
    id = destination["in_reply_to"]
    known = service.signer.recipients.get(id) if service.signer else None
    if known is not None:
        return known
    message = yield from service.do(operations.get_messages_id(id))
    return (yield from know(service, message))


def know(service: Service, message: Message) -> Steps[str]:
    """Remembers who gets a reply to this message, so that it need not be read again."""
    if not service.signer:
        raise AssertionError("only signed replies name their recipient")
    recipients = service.signer.recipients
    if recipients.own is None:
        recipients.own = (yield from service.do(operations.get_me()))["business"]["handle"]
    return recipients.add(message, recipients.own)


def acknowledge(
    service: Service,
    to: Message | str,
    status: AcknowledgementStatus,
    reason: str | None,
) -> Steps[types.Acknowledgement]:
    body: dict[str, Any] = {"status": status, "reason": reason}
    if not service.signer:
        return (yield from service.do(acknowledgement_call(id_of(to), body)))
    given = to if isinstance(to, Message) else None
    # A summary is read again, and must be of the same content.
    message = given if given and has_its_json(given) else (yield from service.do(operations.get_messages_id(id_of(to))))
    content_hash = require_content(message)
    if message.id != id_of(to) or (given and given.envelope["content_hash"] != content_hash):
        raise mismatch(id_of(to))
    number = yield from next_number(service, message.id, status, reason)
    for tries in range(NUMBERS_MAX):
        signed = body if number is None else {**body, "content_hash": content_hash, "number": number}
        try:
            return (yield from service.do(acknowledgement_call(message.id, signed)))
        except Conflict:
            following = yield from next_number(service, message.id, status, reason)
            # Another reason than a number that was taken meanwhile.
            if following == number or tries == NUMBERS_MAX - 1:
                raise
            number = following
    raise AssertionError("unreachable")


def acknowledgement_call(id: str, body: dict[str, Any]) -> Call[types.Acknowledgement]:
    # A repeated acknowledgement returns the first one, so it is safe to retry.
    return call("POST", "/v1/messages/{id}/acknowledge", path=[id], body=body, is_repeatable=True)


def next_number(service: Service, id: str, status: AcknowledgementStatus, reason: str | None) -> Steps[int | None]:
    """The number of an acknowledgement in the chain of its message. The same again has the number that it had. None from a service without numbers."""
    said: dict[str, Any] = yield from service.do(call("GET", "/v1/messages/{id}/acknowledgements", path=[id]))
    latest = said["data"][-1] if said["data"] else {}
    following: int | None = said.get("next_number")
    is_repeat = latest.get("status") == status and latest.get("reason") == reason
    number: int | None = latest.get("number") if is_repeat else None
    return number or following


def id_of(message: Message | str) -> str:
    return message if isinstance(message, str) else message.id


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

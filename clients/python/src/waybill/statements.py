"""What a signed request states: to whom, with which files, of which content."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any, cast

from .canonical import canonical
from .errors import HashMismatch
from .message import Message
from .types import ALWAYS_HASHED, HASHED_IF_GIVEN

KNOWN_MAX = 1_000
"""Messages whose other party is remembered, for replies."""


def recipient_name(to: str) -> str:
    """Waybill-Recipient for the address in `to`: the handle without its segment, or a mail address."""
    address = to.removeprefix("@")
    return _encoded(address if "@" in address else address.partition("/")[0])


def party_name(party: Mapping[str, Any]) -> str:
    """Waybill-Recipient for a party."""
    return _encoded(str(party.get("handle") or party.get("domain") or party.get("email") or ""))


def files_hash(hashes: Sequence[str]) -> str:
    """Waybill-Files for the SHA-256 of each file, `sha256:<hex>`, in the order of the message."""
    return _sha256("".join(f"{one}\n" for one in hashes))


class Recipients:
    """Who gets the reply to a message. Threads can share it."""

    def __init__(self) -> None:
        self.own: str | None = None
        """The handle of the client's business, once it is known."""
        self._names: dict[str, str] = {}
        self._lock = threading.Lock()

    def get(self, id: str) -> str | None:
        return self._names.get(id)

    def add(self, message: Message, own: str) -> str:
        parties = [cast("Mapping[str, Any]", side["party"]) for side in (message.from_, message.to)]
        # A party that has joined the business since has another name in older messages: then the other one has a handle.
        others = [party for party in parties if party.get("handle") != own]
        name = party_name(next((party for party in others if "handle" in party), others[0] if others else parties[1]))
        with self._lock:
            if len(self._names) >= KNOWN_MAX:
                del self._names[next(iter(self._names))]
            self._names[message.id] = name
        return name


def has_its_json(message: Message) -> bool:
    """A summary has the hash of the JSON alone."""
    return message.json_text is not None or message.envelope["json_sha256"] is None


def require_content(message: Message) -> str:
    """The content_hash of a message. Raises HashMismatch if it is not that of what the service shows, JSON included."""
    envelope = cast("dict[str, Any]", message.envelope)
    # At delivery, large files had no hash yet. So the hash is compared without those of the largest file, the two largest, and so on.
    sizes = sorted({file["size_bytes"] for file in envelope["files"]}, reverse=True)
    content: str = envelope["content_hash"]
    is_content = any(content == _sha256(_hashed_text(envelope, bound)) for bound in [float("inf"), *sizes])
    if is_content and _is_shown(message.json_text, envelope):
        return content
    raise mismatch(message.id)


def mismatch(id: str) -> HashMismatch:
    return HashMismatch(f"The content_hash of {id} is not that of the message as the service shows it, with its JSON: nothing was signed.")


def _is_shown(text: str | None, envelope: dict[str, Any]) -> bool:
    """Whether the JSON is that of the message: its value, and as it is written. Messages from before the latter was recorded have one hash."""
    if text is None or envelope["json_sha256"] is None:
        return text is None and envelope["json_sha256"] is None
    try:
        is_value = _sha256(canonical(text)) == envelope["json_sha256"]
    except ValueError:
        return False
    return is_value and envelope.get("json_bytes_sha256") in (None, _sha256(text.strip(" \t\r\n")))


def _hashed_text(envelope: dict[str, Any], unhashed_from: float) -> str:
    """The canonical form that content_hash is of (RFC 8785): all names are ASCII, and all numbers are integers."""
    members = ("id", "thread_id", "in_reply_to", "from", "to", "json_sha256", "received_at", *ALWAYS_HASHED)
    given = [name for name in (*HASHED_IF_GIVEN, "json_bytes_sha256") if envelope.get(name) is not None]
    files = [
        {
            **{name: file[name] for name in ("id", "filename", "content_type", "size_bytes")},
            "sha256": None if file["size_bytes"] >= unhashed_from else file["sha256"],
        }
        for file in envelope["files"]
    ]
    hashed = {**{name: envelope[name] for name in (*members, *given)}, "files": files}
    text = json.dumps(hashed, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _encoded(name: str) -> str:
    """In lower case, as far as ASCII has it; what a header can't have is percent-encoded, and `%` itself."""
    lower = re.sub("[A-Z]", lambda letter: letter[0].lower(), name)
    return re.sub("[^!-$&-~]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), lower)


def _sha256(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"

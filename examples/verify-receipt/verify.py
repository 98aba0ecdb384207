import hashlib
import json
from typing import Any

FIELDS = ("id", "thread_id", "in_reply_to", "from", "to", "type", "subject", "note", "json_sha256", "received_at")
# Covered only where it is given: messages without JSON, and older ones, lack it.
IF_GIVEN = ("expires_at", "json_bytes_sha256")
FILE_FIELDS = ("id", "filename", "content_type", "size_bytes", "sha256")


def is_whole(receipt: dict[str, Any]) -> bool:
    """Whether nothing in the receipt has been changed since the delivery."""
    hashed = {name: receipt.get(name) for name in FIELDS}
    hashed |= {name: receipt[name] for name in IF_GIVEN if receipt.get(name) is not None}
    hashed["files"] = [{name: file.get(name) for name in FILE_FIELDS} for file in receipt["files"]]
    return receipt["content_hash"] == sha256(hashed)


def is_payload(receipt: dict[str, Any], text: str) -> bool:
    """Whether this is the payload that was delivered. For payloads with fractions, use a library for RFC 8785."""
    return receipt["json_sha256"] == sha256(json.loads(text))


def sha256(value: Any) -> str:
    canonical = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()

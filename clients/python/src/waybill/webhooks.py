"""Verifies that a webhook delivery comes from the service."""

from __future__ import annotations

import binascii
import hashlib
import hmac
import json
import re
import time
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from .errors import SignatureInvalid
from .message import Message, message_of

_SIGNATURE = re.compile(r"t=([0-9]{1,15})((?:,v1=[0-9a-f]{64})+)", re.ASCII)


@dataclass(frozen=True)
class Delivery:
    """A genuine delivery. It may come twice: deduplicate by `id`.

    What it tells stands in the field that `kind` names; the others are None.
    """

    id: str
    """Deduplicate by it: of a received message its id, of all else an `evt_…` id."""
    event: str
    """`message.received`, `thread.updated`, … as the header says, which is not signed. What the body is, `kind` says."""
    kind: Literal["message", "thread", "webhook", "acknowledgement", "unknown"]
    """`unknown` comes from a later version of the service."""
    delivery_id: str
    is_replay: bool
    """Whether you asked to redeliver or recover it."""
    body_text: str
    """The body as it came."""
    message: Message | None = None
    thread: dict[str, Any] | None = None
    webhook: dict[str, Any] | None = None
    acknowledged: dict[str, Any] | None = None


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str] | None = None,
    *,
    public_key: str | Sequence[str] | None = None,
    tolerance_s: float = 300,
) -> Delivery:
    """Checks a delivery with the secret (`whsec_…`) or the public key (`whpk_…`) of the webhook; with several while you rotate.

    Give the body's bytes as they came. Raises SignatureInvalid if the delivery is not genuine, or older than `tolerance_s`.
    A public key needs the package cryptography: `pip install 'waybill[ed25519]'`.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    if (secret is None) == (public_key is None):
        raise TypeError("give the secret or the public key of the webhook, and not both")
    if secret is not None:
        signed_at = _by_secret(body, lower, _several(secret))
    else:
        signed_at = _by_public_key(body, lower, _several(public_key or ""))
    if abs(time.time() - signed_at) > tolerance_s:
        raise SignatureInvalid("The delivery was signed too long ago, or the clock of this machine is wrong.")
    return _delivery_of(body.decode(), lower)


def _several(keys: str | Sequence[str]) -> Sequence[str]:
    return [keys] if isinstance(keys, str) else keys


def _delivery_of(text: str, headers: Mapping[str, str]) -> Delivery:
    """The kind is found in the body, which is signed."""
    delivery = partial(
        Delivery,
        id=headers.get("webhook-id", ""),
        event=headers.get("waybill-event", ""),
        delivery_id=headers.get("waybill-delivery-id", ""),
        is_replay=headers.get("waybill-replay") == "true",
        body_text=text,
    )
    body = json.loads(text)
    fields: dict[str, Any] = body if isinstance(body, dict) else {}
    if isinstance(fields.get("acknowledgements"), list):
        return delivery(kind="acknowledgement", acknowledged=fields)
    prefix = str(fields.get("id")).split("_", 1)[0]
    if prefix == "msg":
        return delivery(kind="message", message=message_of(text))
    if prefix == "thr":
        return delivery(kind="thread", thread=fields)
    return delivery(kind="webhook", webhook=fields) if prefix == "wh" else delivery(kind="unknown")


def _by_secret(body: bytes, headers: Mapping[str, str], secrets: Sequence[str]) -> int:
    signature = _SIGNATURE.fullmatch(headers.get("waybill-signature", ""))
    if signature is None:
        raise SignatureInvalid("The header Waybill-Signature is missing or malformed.")
    signed = f"{signature[1]}.".encode() + body
    for secret in secrets:
        expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        # After a rotation there are two signatures.
        if any(hmac.compare_digest(expected, given) for given in signature[2].split(",v1=")[1:]):
            return int(signature[1])
    raise SignatureInvalid("The signature is not one of this secret and body. Pass the bytes of the body as they came.")


def _by_public_key(body: bytes, headers: Mapping[str, str], public_keys: Sequence[str]) -> int:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise RuntimeError(
            "To verify with a public key, install the package cryptography: pip install 'waybill[ed25519]'. Or verify with the secret."
        ) from error
    signed_at = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,15}", signed_at, re.ASCII):
        raise SignatureInvalid("The header webhook-timestamp is missing or malformed.")
    try:
        keys = [Ed25519PublicKey.from_public_bytes(b64decode(key.removeprefix("whpk_"), validate=True)) for key in public_keys]
    except ValueError as error:
        raise ValueError("public_key must be that of the webhook, whpk_…") from error
    signed = f"{headers.get('webhook-id', '')}.{signed_at}.".encode() + body
    for one in headers.get("webhook-signature", "").split(" "):
        scheme, _, signature = one.partition(",")
        for key in keys if scheme == "v1a" else []:
            try:
                key.verify(b64decode(signature, validate=True), signed)
                return int(signed_at)
            except (InvalidSignature, binascii.Error):
                continue
    raise SignatureInvalid("No signature v1a is one of this public key and body. Does the webhook have Ed25519 signatures?")

"""Verifies that a webhook delivery comes from the service."""

from __future__ import annotations

import binascii
import hashlib
import hmac
import re
import time
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import SignatureInvalid
from .message import Message, message_of

_SIGNATURE = re.compile(r"t=([0-9]{1,15})((?:,v1=[0-9a-f]{64})+)", re.ASCII)


@dataclass(frozen=True)
class Delivery:
    """A genuine delivery. It may come twice: deduplicate by `message.id`."""

    event: str
    """`message.received`, or `message.test`."""
    delivery_id: str
    is_replay: bool
    message: Message


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | None = None,
    *,
    public_key: str | None = None,
    tolerance_s: float = 300,
) -> Delivery:
    """Checks a delivery with the secret (`whsec_…`) or the public key (`whpk_…`) of the webhook.

    Give the body's bytes as they came. Raises SignatureInvalid if the delivery is not genuine, or older than `tolerance_s`.
    A public key needs the package cryptography: `pip install 'waybill[ed25519]'`.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    if (secret is None) == (public_key is None):
        raise TypeError("give the secret or the public key of the webhook, and not both")
    if secret is not None:
        signed_at = _by_secret(body, lower, secret)
    else:
        signed_at = _by_public_key(body, lower, public_key or "")
    if abs(time.time() - signed_at) > tolerance_s:
        raise SignatureInvalid("The delivery was signed too long ago, or the clock of this machine is wrong.")
    return Delivery(
        lower.get("waybill-event", ""),
        lower.get("waybill-delivery-id", ""),
        lower.get("waybill-replay") == "true",
        message_of(body.decode()),
    )


def _by_secret(body: bytes, headers: Mapping[str, str], secret: str) -> int:
    signature = _SIGNATURE.fullmatch(headers.get("waybill-signature", ""))
    if signature is None:
        raise SignatureInvalid("The header Waybill-Signature is missing or malformed.")
    expected = hmac.new(secret.encode(), f"{signature[1]}.".encode() + body, hashlib.sha256).hexdigest()
    # After a rotation there are two.
    if not any(hmac.compare_digest(expected, given) for given in signature[2].split(",v1=")[1:]):
        raise SignatureInvalid("The signature is not one of this secret and body. Pass the bytes of the body as they came.")
    return int(signature[1])


def _by_public_key(body: bytes, headers: Mapping[str, str], public_key: str) -> int:
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
        key = Ed25519PublicKey.from_public_bytes(b64decode(public_key.removeprefix("whpk_"), validate=True))
    except ValueError as error:
        raise ValueError("public_key must be that of the webhook, whpk_…") from error
    signed = f"{headers.get('webhook-id', '')}.{signed_at}.".encode() + body
    for one in headers.get("webhook-signature", "").split(" "):
        scheme, _, signature = one.partition(",")
        if scheme == "v1a":
            try:
                key.verify(b64decode(signature, validate=True), signed)
                return int(signed_at)
            except (InvalidSignature, binascii.Error):
                continue
    raise SignatureInvalid("No signature v1a is one of this public key and body. Does the webhook have Ed25519 signatures?")

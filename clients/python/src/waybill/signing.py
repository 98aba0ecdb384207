"""Signs requests with HTTP Message Signatures (RFC 9421) and Ed25519."""

from __future__ import annotations

import hashlib
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .call import Call
from .statements import Recipients

SIGNED_PATHS = ("/v1/messages", "/acknowledge")
"""Requests whose signature is part of a proof."""
COVERED_HEADERS = ("idempotency-key", "waybill-recipient", "waybill-files")
NONCE_BYTES = 18


@dataclass(frozen=True)
class SigningKey:
    """The private half of a signing key of the agent, which needs the package cryptography: `pip install 'waybill[ed25519]'`."""

    id: str
    """The id that the service gave the public key, sgk_…."""
    private_key: str
    """PKCS #8 in PEM, or the 32 bytes in base64."""


@dataclass(frozen=True)
class Signer:
    id: str
    sign: Callable[[bytes], bytes]
    recipients: Recipients = field(default_factory=Recipients, compare=False)

    def headers(
        self,
        call: Call[Any],
        path: str,
        authority: str,
        now: float | None = None,
        nonce: str | None = None,
    ) -> dict[str, str]:
        """The headers that sign a call; none if it is of a kind that is not signed. A signature is valid for some minutes."""
        if call.method != "POST" or not call.path.endswith(SIGNED_PATHS):
            return {}
        digest = f"sha-256=:{b64encode(hashlib.sha256(call.body or b'').digest()).decode()}:"
        values = {"@method": call.method, "@path": path, "@authority": authority.lower(), "content-digest": digest}
        values.update({name: call.headers[name] for name in COVERED_HEADERS if name in call.headers})
        covered = " ".join(f'"{name}"' for name in values)
        created = int(time.time() if now is None else now)
        nonce = nonce or secrets.token_urlsafe(NONCE_BYTES)
        parameters = f'({covered});created={created};keyid="{self.id}";alg="ed25519";nonce="{nonce}"'
        lines = [f'"{name}": {value}' for name, value in values.items()] + [f'"@signature-params": {parameters}']
        signature = b64encode(self.sign("\n".join(lines).encode())).decode()
        return {"content-digest": digest, "signature-input": f"waybill={parameters}", "signature": f"waybill=:{signature}:"}


def signer_of(key: SigningKey) -> Signer:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise RuntimeError("To sign, install the package cryptography: pip install 'waybill[ed25519]'.") from error
    try:
        if "-----BEGIN" in key.private_key:
            private = load_pem_private_key(key.private_key.encode(), None)
        else:
            private = Ed25519PrivateKey.from_private_bytes(b64decode(key.private_key, validate=True))
    except ValueError as error:
        raise ValueError("private_key must be PKCS #8 in PEM, or 32 bytes in base64") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise ValueError("private_key must be an Ed25519 key")
    return Signer(key.id, private.sign)

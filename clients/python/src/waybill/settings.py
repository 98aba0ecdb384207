"""What a client is made with."""

from __future__ import annotations

import os
from typing import TypedDict

import httpx

from . import types
from .signing import SigningKey, signer_of
from .steps import Service

class Settings(TypedDict, total=False):
    timeout: float
    """Seconds to wait for a connection, for each byte to go out, and for a response. 30 by default."""
    retries: int
    """How often to repeat a request that is safe to repeat. 5 by default, 0 for never."""
    signing_key: SigningKey
    """A signing key of the agent: everything that is sent or acknowledged is signed with it."""


class ConsumeOptions(TypedDict, total=False):
    lease_s: int
    """How long a message stays yours if this process dies; extended while your handler works. 60 by default."""
    wait_s: int
    """How long a request waits for messages, and `stop` at most to be heeded. 10 by default, at most 30."""
    batch: int
    """Messages that are leased at a time, and handled one after the other. 10 by default, at most 100."""
    retry_delay_s: int
    """When a message comes again whose handler failed. 60 by default."""
    create: types.PutConsumersNameBody
    """What the consumer is to be, such as {"start": "beginning", "filter": {"types": ["order.*"]}}: it is created or changed.
    By default, a consumer that exists stays as it is, and one that does not is created and begins with the next message."""
    holder: str
    """The name of this worker, unique among them. Made for you if you give none."""


def service_of(key: str | None, url: str | None, settings: Settings) -> Service:
    key = key or os.environ.get("WAYBILL_KEY", "")
    url = url or os.environ.get("WAYBILL_URL", "")
    if not key or not url:
        raise ValueError("Give a key and the URL of the service, or set WAYBILL_KEY and WAYBILL_URL.")
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"The URL of the service must begin with https://, not {url!r}.")
    signing_key = settings.get("signing_key")
    signer = signer_of(signing_key) if signing_key else None
    return Service(url.rstrip("/"), key, httpx.Timeout(settings.get("timeout", 30.0)), settings.get("retries", 5), signer)

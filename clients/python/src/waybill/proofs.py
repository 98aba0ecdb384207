"""Proofs that verify without the service."""

from __future__ import annotations

import json
import re
from typing import Literal

from .call import Call, call
from .errors import WaybillError
from .steps import Pause, Service, Steps

Format = Literal["tlog-proof", "bundle"]

TRIES = 60
"""A message is in the log within seconds."""
PENDING_MAX_CHARS = 200
"""Longer texts are proofs."""


def of_message(service: Service, id: str, contents: bool) -> Steps[str]:
    query = {} if contents else {"contents": False}
    return (yield from _read(service, call("GET", "/v1/messages/{id}/proof", str, path=[id], query=query)))


def of_receipt(service: Service, token_or_url: str, format: Format) -> Steps[str]:
    token = re.search(r"rcpt_\w+", token_or_url)
    if not token:
        raise ValueError(f"{token_or_url} is no receipt: give its URL, or its token, rcpt_….")
    query = {} if format == "tlog-proof" else {"format": format}
    return (yield from _read(service, call("GET", "/v1/receipts/{token}/proof", str, path=[token[0]], query=query)))


def _read(service: Service, request: Call[str]) -> Steps[str]:
    for _ in range(TRIES):
        text = yield from service.do(request)
        wait = _wait_in(text)
        if wait is None:
            return text
        yield Pause(wait)
    raise WaybillError("The log does not have the message yet. Try again later.")


def _wait_in(text: str) -> float | None:
    """Seconds to wait, if the text is no proof yet."""
    if len(text) > PENDING_MAX_CHARS or not text.startswith("{"):
        return None
    return float(json.loads(text)["retry_after_s"])

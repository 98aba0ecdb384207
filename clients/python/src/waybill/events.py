"""The event stream, free of I/O."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from .call import Call
from .errors import ApiError
from .steps import RETRIED, Service, connection_failed, wait_after

SILENCE_MAX_S = 60.0
"""The service sends a comment every 25 seconds, so a longer silence is a broken connection."""


@dataclass(frozen=True)
class Event:
    name: str
    """`messages`: a box may have new messages. `threads`: threads have changed."""
    data: dict[str, Any]


@dataclass
class EventReader:
    """Reads lines of server-sent events, and decides when to connect again."""

    service: Service
    retry_s: float = 2.0
    failures: int = 0
    _fields: dict[str, str] = field(default_factory=dict)

    def request(self) -> httpx.Request:
        self._fields = {}
        request = self.service.request(Call("GET", "/v1/events", str, headers={"accept": "text/event-stream"}))
        request.extensions["timeout"] = {**request.extensions["timeout"], "read": SILENCE_MAX_S}
        return request

    def take(self, line: str) -> Event | None:
        self.failures = 0
        if line == "":
            fields, self._fields = self._fields, {}
            return Event(fields.get("event", "message"), json.loads(fields["data"])) if "data" in fields else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "retry" and value.isdigit():
            self.retry_s = int(value) / 1000
        elif name == "data" and "data" in self._fields:
            self._fields["data"] += "\n" + value
        elif name:
            self._fields[name] = value
        return None

    def wait_after(self, failure: httpx.TransportError | httpx.Response | None) -> float:
        """Seconds until the next connection. A stream that ends is no failure: each does after 5 minutes."""
        if failure is None:
            return self.retry_s
        if isinstance(failure, httpx.Response):
            error = ApiError.of(failure)
            if error.status not in RETRIED:
                raise error
            wait = wait_after(error, self.failures)
        else:
            wait = wait_after(connection_failed(failure), self.failures)
        self.failures += 1
        return self.retry_s if wait is None else wait

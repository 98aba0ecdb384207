"""The logic of both clients, free of I/O.

A function that needs the network is a generator of steps. `Waybill` makes each step and waits for it; `AsyncWaybill` awaits it. So what
decides (retries, uploads, leases) is written once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import httpx

from .call import Call
from .errors import ApiError, ConnectionFailed, WaybillError
from .message import Message
from .signing import Signer

T = TypeVar("T")

VERSION = "0.3.0"
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0
"""Of waits that the client chooses itself."""
RETRY_AFTER_MAX_S = 60.0
"""A service that asks for more patience, such as until the end of a quota, gets none: you are told."""
RETRIED = frozenset({429, 500, 502, 503, 504})


class Signal(Protocol):
    """A threading.Event or an asyncio.Event."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class Pause:
    seconds: float
    until: Signal | None = None
    """Ends the pause early."""


@dataclass(frozen=True)
class Work:
    """What may take a while without the network, such as reading a file."""

    do: Callable[[], object]


@dataclass(frozen=True)
class Download:
    """A response whose bytes are handed on as they come, unless it is an error."""

    request: httpx.Request
    take: Callable[[httpx.Response, bytes], None]


@dataclass(frozen=True)
class Handle:
    """A call of the handler of a consumer."""

    message: Message


Step = httpx.Request | Pause | Work | Download | Handle
# What a step returns depends on its class.
Steps = Generator[Step, Any, T]


@dataclass(frozen=True)
class Service:
    """Where the service is, who asks, and how patiently."""

    url: str
    key: str
    timeout: httpx.Timeout
    retries: int
    signer: Signer | None = None

    def request(self, call: Call[Any]) -> httpx.Request:
        headers = {"authorization": f"Bearer {self.key}", "accept": "application/json", **call.headers}
        if call.body is not None:
            headers.setdefault("content-type", "application/json")
        url = httpx.URL(self.url + call.path, params=dict(call.query)) if call.query else httpx.URL(self.url + call.path)
        if self.signer:
            path, authority = url.raw_path.decode("ascii").partition("?")[0], url.netloc.decode("ascii")
            headers.update(self.signer.headers(call, path, authority))
        return self.plain_request(call.method, url, headers, content=call.body, patience=call.patience)

    def plain_request(
        self,
        method: str,
        url: httpx.URL | str,
        headers: Mapping[str, str],
        *,
        content: bytes | None = None,
        stream: httpx.SyncByteStream | httpx.AsyncByteStream | None = None,
        patience: float = 0,
    ) -> httpx.Request:
        """Without the key: for URLs that are signed."""
        timeout = self.timeout.as_dict()
        if timeout.get("read") is not None:
            timeout["read"] = (timeout["read"] or 0) + patience
        own = {"user-agent": f"waybill-python/{VERSION}", "accept-encoding": "gzip, deflate"}
        # httpx adds no headers to a request with a stream.
        host = {"host": httpx.URL(url).netloc.decode("ascii")}
        return httpx.Request(method, url, headers={**host, **own, **headers}, content=content, stream=stream, extensions={"timeout": timeout})

    def do(self, call: Call[T], stop: Signal | None = None) -> Steps[T]:
        response = yield from self.respond(call, stop)
        return call.read(response.content.decode())

    def respond(self, call: Call[Any], stop: Signal | None = None) -> Steps[httpx.Response]:
        """Makes a call, again and again where that is safe and promises something."""
        for failures in range(self.retries + 1):
            try:
                response: httpx.Response = yield self.request(call)
            except httpx.TransportError as error:
                failure: WaybillError = connection_failed(error)
                # If there was no connection, the request was not sent.
                is_safe = call.is_repeatable or isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
            else:
                if response.is_success:
                    return response
                failure = ApiError.of(response)
                # 429 says that nothing was done.
                is_safe = call.is_repeatable or response.status_code == 429
            wait = wait_after(failure, failures)
            if not is_safe or wait is None or failures == self.retries or (stop and stop.is_set()):
                raise failure
            yield Pause(wait, stop)
        raise AssertionError("unreachable")


def connection_failed(error: httpx.TransportError) -> ConnectionFailed:
    failure = ConnectionFailed(f"No response ({type(error).__name__}): {error or 'the connection broke'}")
    failure.__cause__ = error
    return failure


def wait_after(failure: Exception, failures: int) -> float | None:
    """Seconds to wait before the next try; None if it is hopeless."""
    if isinstance(failure, ApiError):
        if failure.status not in RETRIED:
            return None
        if failure.retry_after is not None:
            if failure.retry_after > RETRY_AFTER_MAX_S:
                return None
            # A random delay, so that clients that were refused together do not come back together.
            return failure.retry_after + random.uniform(0, 0.5)
    return float(min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(failures, 10)) * random.uniform(0.5, 1))

"""Takes messages with a consumer: leases, acknowledges, extends while the handler works, releases what fails."""

from __future__ import annotations

import logging
import os
import socket
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from . import operations
from .call import Call
from .errors import ApiError, ConnectionFailed, NotFound, WaybillError
from .message import Leased
from .settings import ConsumeOptions
from .steps import LONGEST_WAIT_S, RETRIED, Handle, Pause, Service, Signal, Steps, wait_after

if TYPE_CHECKING:
    from . import types

log = logging.getLogger("waybill")
REASON_MAX_CHARS = 500


def own_name() -> str:
    """No two workers share a name: only the holder of a message can acknowledge it."""
    return f"{socket.gethostname()[:40]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


@dataclass
class Consumption:
    """One worker. It handles messages one after the other; start several to handle several at a time."""

    service: Service
    name: str
    stop: Signal
    lease_s: int
    wait_s: int
    batch: int
    retry_delay_s: int
    create: types.PutConsumersNameBody | None
    holder: str
    held: dict[str, Leased] = field(default_factory=dict)

    def work(self) -> Steps[None]:
        """Until it is told to stop. What it holds then is given back at once."""
        failures = 0
        is_prepared = False
        while not self.stop.is_set():
            try:
                if not is_prepared:
                    yield from self._prepare()
                    is_prepared = True
                leased = yield from self._lease()
                failures = 0
            except WaybillError as error:
                if not _passes(error):
                    raise
                failures += 1
                log.warning("consumer %s: no messages could be leased, it tries again: %s", self.name, error)
                yield Pause(wait_after(error, failures) or LONGEST_WAIT_S, self.stop)
                continue
            # All are held at once, so that their leases are extended while the first message is handled.
            self.held.update({each.message.id: each for each in leased})
            for each in leased:
                if self.stop.is_set():
                    break
                if each.message.id in self.held:
                    yield from self._handle(each)
            yield from self.give_back()

    def extend(self, done: Signal) -> Steps[None]:
        """Beside the work: long before they lapse, leases are extended."""
        while not done.is_set():
            yield Pause(self.lease_s / 3, done)
            ids = list(self.held)
            if not ids or done.is_set():
                continue
            try:
                body: types.PostConsumersNameExtendBody = {"ids": ids, "lease_s": self.lease_s, "holder": self.holder}
                extended = yield from self.service.do(operations.post_consumers_name_extend(self.name, body), done)
            except WaybillError as error:
                log.warning("consumer %s: leases could not be extended: %s", self.name, error)
                continue
            for lost in extended["unknown"]:
                self.held.pop(lost, None)

    def give_back(self) -> Steps[None]:
        """What was leased and not begun."""
        ids = list(self.held)
        self.held.clear()
        if ids:
            yield from self._attempt("released", self._released(ids, 0, "the worker stopped"))

    def _prepare(self) -> Steps[None]:
        if self.create is None:
            try:
                yield from self.service.do(operations.get_consumers_name(self.name), self.stop)
                return
            except NotFound:
                pass
        yield from self.service.do(operations.put_consumers_name(self.name, self.create or {}), self.stop)

    def _lease(self) -> Steps[list[Leased]]:
        call = operations.post_consumers_name_lease(
            self.name,
            {"limit": self.batch, "lease_s": self.lease_s, "wait_s": self.wait_s, "holder": self.holder},
        )
        return (yield from self.service.do(replace(call, patience=self.wait_s), self.stop))

    def _handle(self, leased: Leased) -> Steps[None]:
        id = leased.message.id
        try:
            yield Handle(leased.message)
        except Exception as error:
            log.exception("consumer %s: the handler failed with %s, which comes again", self.name, id)
            self.held.pop(id, None)
            reason = f"{type(error).__name__}: {error}"[:REASON_MAX_CHARS].replace("\0", "")
            yield from self._attempt("released", self._released([id], self.retry_delay_s, reason))
        else:
            self.held.pop(id, None)
            acknowledged = operations.post_consumers_name_ack(self.name, {"ids": [id], "holder": self.holder})
            yield from self._attempt("acknowledged", acknowledged)

    def _released(self, ids: list[str], delay_s: int, reason: str) -> Call[types.PostConsumersNameReleaseResponse]:
        return operations.post_consumers_name_release(
            self.name,
            {"ids": ids, "holder": self.holder, "delay_s": delay_s, "reason": reason},
        )

    def _attempt(self, done: str, call: Call[Any]) -> Steps[None]:
        """A failure here loses nothing: the lease lapses, and the message comes again."""
        try:
            yield from self.service.do(call)
        except WaybillError as error:
            if not _passes(error):
                raise
            log.warning("consumer %s: a message was not %s, and comes again: %s", self.name, done, error)


def consumption_of(service: Service, name: str, stop: Signal, options: ConsumeOptions) -> Consumption:
    return Consumption(
        service,
        name,
        stop,
        lease_s=options.get("lease_s", 60),
        wait_s=options.get("wait_s", 10),
        batch=options.get("batch", 10),
        retry_delay_s=options.get("retry_delay_s", 60),
        create=options.get("create"),
        holder=options.get("holder") or own_name(),
    )


def _passes(error: WaybillError) -> bool:
    """Whether it may be over after a while, without anybody's help."""
    return isinstance(error, ConnectionFailed) or (isinstance(error, ApiError) and error.status in RETRIED)

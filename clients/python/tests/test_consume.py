from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from typing import Any

import pytest

from waybill import Message, errors, operations


@pytest.fixture
def name() -> str:
    """Of a consumer, and of the type of its messages."""
    return f"test.{uuid.uuid4().hex[:12]}"


def begin(globex: Any, name: str, max_tries: int = 10) -> None:
    globex.do(operations.put_consumers_name(name, {"filter": {"types": [name]}, "max_tries": max_tries}))


def test_messages_are_handled_in_order_and_acknowledged(acme: Any, globex: Any, name: str) -> None:
    begin(globex, name)
    sent = [acme.send("globex", type=name, json={"number": number}).id for number in range(5)]
    handled: list[str] = []
    stop = threading.Event()

    def handle(message: Message) -> None:
        handled.append(message.id)
        if len(handled) == 5:
            stop.set()

    globex.consume(name, handle, stop=stop, batch=2, wait_s=1)
    assert handled == sent
    state = globex.do(operations.get_consumers_name(name))
    # An existing consumer stays unchanged.
    assert (state["leased"], state["lag"], state["filter"]) == (0, 0, {"types": [name]})


def test_what_fails_comes_again(acme: Any, globex: Any, name: str) -> None:
    begin(globex, name)
    poison, good = (acme.send("globex", type=name, subject=subject).id for subject in ("poison", "good"))
    tries: Counter[str] = Counter()
    stop = threading.Event()

    def handle(message: Message) -> None:
        tries[message.id] += 1
        if message.subject == "poison" and tries[poison] < 3:
            raise RuntimeError("can't deal with it")
        if tries[poison] == 3:
            stop.set()

    globex.consume(name, handle, stop=stop, retry_delay_s=0, wait_s=1)
    assert tries == {poison: 3, good: 1}
    assert globex.do(operations.get_consumers_name(name))["oldest_unacknowledged_at"] is None


def test_the_reason_of_a_failure_is_kept(acme: Any, globex: Any, name: str) -> None:
    begin(globex, name, max_tries=1)
    acme.send("globex", type=name)
    stop = threading.Event()

    def handle(message: Message) -> None:
        stop.set()
        raise RuntimeError("no such article")

    globex.consume(name, handle, stop=stop, wait_s=1)
    (parked,) = globex.items(operations.get_consumers_name_parked(name))
    assert parked["reason"] == "RuntimeError: no such article"


def test_leases_are_extended_while_the_handler_works(acme: Any, globex: Any, client: Any, service: Any, name: str) -> None:
    begin(globex, name)
    ids = {acme.send("globex", type=name).id for _ in range(2)}
    handled: list[str] = []
    stop = threading.Event()

    def handle(message: Message) -> None:
        # The first message takes twice as long as the lease. The lease of the waiting message is extended, too.
        end = time.monotonic() + (0 if handled else 2)
        while time.monotonic() < end:
            with client(service.keys["globex"], service.url) as other:
                assert other.do(operations.post_consumers_name_lease(name, {"holder": "other"})) == []
            time.sleep(0.2)
        handled.append(message.id)
        if len(handled) == 2:
            stop.set()

    globex.consume(name, handle, stop=stop, lease_s=1, wait_s=1)
    assert set(handled) == ids and len(handled) == 2


def test_a_stop_gives_back_what_was_not_begun(acme: Any, globex: Any, name: str) -> None:
    begin(globex, name)
    first, *others = [acme.send("globex", type=name).id for _ in range(4)]
    stop = threading.Event()
    globex.consume(name, lambda message: stop.set(), stop=stop, wait_s=1)
    left = globex.do(operations.post_consumers_name_lease(name, {"holder": "next"}))
    assert [leased.message.id for leased in left] == others and first not in others


def test_a_handler_that_is_interrupted_gives_back_everything(acme: Any, globex: Any, name: str) -> None:
    begin(globex, name)
    ids = [acme.send("globex", type=name).id for _ in range(2)]

    def handle(message: Message) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        globex.consume(name, handle, wait_s=1)
    left = globex.do(operations.post_consumers_name_lease(name, {"holder": "next"}))
    assert [leased.message.id for leased in left] == ids


def test_a_worker_outlives_a_crash_of_the_service(acme: Any, globex: Any, service: Any, name: str) -> None:
    stop = threading.Event()
    begin(globex, name)
    sent = {acme.send("globex", type=name).id for _ in range(20)}
    handled: Counter[str] = Counter()

    def handle(message: Message) -> None:
        handled[message.id] += 1
        if len(handled) == 5:
            service.kill()
            service.start()
        if set(handled) == sent:
            stop.set()

    globex.consume(name, handle, stop=stop, batch=3, lease_s=3, wait_s=1)
    assert set(handled) == sent


def test_a_consumer_is_created_with_what_it_is_to_be(acme: Any, globex: Any, name: str) -> None:
    id = acme.send("globex", type=name).id
    stop = threading.Event()
    handled: list[str] = []

    def handle(message: Message) -> None:
        handled.append(message.id)
        stop.set()

    globex.consume(name, handle, stop=stop, wait_s=1, create={"start": "beginning", "filter": {"types": [name]}})
    assert handled == [id]


def test_a_key_that_may_not_is_told_so(client: Any, service: Any, name: str) -> None:
    with client("wb_wrong", service.url) as stranger, pytest.raises(errors.Unauthorized):
        stranger.consume(name, lambda message: None)

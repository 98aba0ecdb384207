from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest

from network import Network
from waybill import ConnectionFailed, errors, operations


def test_a_service_that_is_killed_gets_every_message_once(client: Any, service: Any) -> None:
    kind = f"test.{uuid.uuid4().hex[:12]}"
    restarted = threading.Event()

    def crash() -> None:
        service.kill()
        service.start()
        restarted.set()

    crashing = threading.Thread(target=crash)
    sent: list[str] = []
    # A busy machine takes longer to start the service than five tries last.
    with client(service.keys["acme"], service.url, retries=20) as acme:
        while not restarted.is_set() or len(sent) < 40:
            if len(sent) == 20:
                crashing.start()
            sent.append(acme.send("globex", type=kind, json={"number": len(sent)}).id)
        crashing.join()
        assert [message.id for message in acme.outbox(type=kind, limit=200)] == sent[::-1]


def test_a_lost_response_sends_nothing_twice(acme: Any, network: Network) -> None:
    kind = f"test.{uuid.uuid4().hex[:12]}"
    network.break_after("down", 1, 1)
    sent = acme.send("globex", type=kind)
    assert [message.id for message in acme.outbox(type=kind)] == [sent.id]


def test_what_is_not_safe_to_repeat_is_not_repeated(acme: Any, network: Network) -> None:
    thread = acme.send("globex").thread_id
    # Only a part of the response arrives. The comment was created, which the client can't know.
    network.break_after("down", 1)
    with pytest.raises(ConnectionFailed):
        acme.do(operations.post_threads_id_comments(thread, {"text": "Once"}))
    assert len(list(acme.items(operations.get_threads_id_comments(thread)))) == 1


def test_a_proxy_that_refuses_is_asked_again(client: Any, service: Any, network: Network) -> None:
    network.refusals = 2
    with client(service.keys["acme"], service.url) as acme:
        assert acme.me()["business"]["handle"] == "acme"
    network.refusals = 1
    with client(service.keys["acme"], service.url, retries=0) as hasty, pytest.raises(errors.ApiError) as refused:
        hasty.me()
    assert (refused.value.code, refused.value.status, refused.value.retry_after) == ("unexpected_response", 503, 1)


def test_no_service_is_a_failed_connection(client: Any, service: Any) -> None:
    with client(service.keys["acme"], "http://127.0.0.1:9", retries=1) as lost, pytest.raises(ConnectionFailed):
        lost.me()

from __future__ import annotations

import hashlib
import hmac
import queue
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from waybill import Delivery, SignatureInvalid, Waybill, operations, verify_webhook

Taken = tuple[bytes, dict[str, str]]


@pytest.fixture(scope="module")
def receiver() -> Iterator[tuple[str, queue.Queue[Taken]]]:
    taken: queue.Queue[Taken] = queue.Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(204)
            self.end_headers()
            taken.put((body, dict(self.headers)))

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", taken
    server.shutdown()
    server.server_close()


def test_deliveries_are_verified(service: Any, receiver: tuple[str, queue.Queue[Taken]], monkeypatch: pytest.MonkeyPatch) -> None:
    url, taken = receiver
    text = '{"a":1.0,"a":2}'
    with Waybill(service.keys["acme"], service.url) as acme, Waybill(service.keys["globex"], service.url) as globex:
        webhook = globex.do(operations.post_webhooks({"url": url, "signatures": ["hmac", "ed25519"]}))
        secret, public_key = webhook["secret"], str(webhook["public_key"])
        sent = acme.send("globex", json_text=text)
        body, headers = taken.get(timeout=60)
        for by in (partial(verify_webhook, secret=secret), partial(verify_webhook, public_key=public_key)):
            delivery = by(body, headers)
            assert (delivery.event, delivery.kind, delivery.is_replay, delivery.id) == ("message.received", "message", False, sent.id)
            assert delivery.message is not None and delivery.message.id == sent.id
            assert delivery.message.json_text == text and delivery.delivery_id.startswith("dlv_")
            by(body, {name.upper(): value for name, value in headers.items()})
            for bad_body, bad_headers, tolerance in (
                (body + b" ", headers, 300.0),
                (body, {}, 300.0),
                (body, {**headers, "Waybill-Signature": "t=1,v1=zz", "webhook-timestamp": "x"}, 300.0),
                (body, headers, -1.0),
            ):
                with pytest.raises(SignatureInvalid):
                    by(bad_body, bad_headers, tolerance_s=tolerance)
        with pytest.raises(SignatureInvalid):
            verify_webhook(body, headers, "whsec_other")
        with pytest.raises(ValueError, match="whpk_"):
            verify_webhook(body, headers, public_key="whpk_short")
        with pytest.raises(TypeError):
            verify_webhook(body, headers)
        # After a rotation, the former secret is valid until its grace period ends.
        globex.do(operations.post_webhooks_id_rotate_secret(webhook["id"], {"grace_s": 3600}))
        acme.send("globex")
        body, headers = taken.get(timeout=60)
        verify_webhook(body, headers, secret)
        verify_webhook(body, headers, ["whsec_other", secret])
        with pytest.raises(SignatureInvalid):
            verify_webhook(body, headers, ["whsec_other", "whsec_another"])
        verify_webhook(body, headers, public_key=[f"whpk_{b64encode(bytes(32)).decode()}", public_key])
        monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
        with pytest.raises(RuntimeError, match=r"waybill\[ed25519\]"):
            verify_webhook(body, headers, public_key=public_key)
        globex.do(operations.delete_webhooks_id(webhook["id"]))


def test_every_event_is_verified(service: Any, receiver: tuple[str, queue.Queue[Taken]]) -> None:
    url, taken = receiver
    with Waybill(service.keys["acme"], service.url) as acme, Waybill(service.keys["globex"], service.url) as globex:
        webhook = acme.do(
            operations.post_webhooks({"url": url, "events": ["message.sent", "message.acknowledged", "thread.updated", "webhook.paused"]})
        )
        other = acme.do(operations.post_webhooks({"url": f"{url}other", "events": ["file.hashed"]}))
        sent = acme.send("globex", type="order")
        globex.do(operations.post_messages_id_acknowledge(sent.id, {"status": "accepted"}))
        acme.do(operations.patch_threads_id(sent.thread_id, {"status": "done"}))
        acme.do(operations.patch_webhooks_id(other["id"], {"active": False}))
        seen: dict[str, Delivery] = {}
        while not {"message.sent", "message.acknowledged", "thread.updated", "webhook.paused"} <= seen.keys():
            body, headers = taken.get(timeout=60)
            delivery = verify_webhook(body, headers, webhook["secret"])
            seen[delivery.event] = delivery
        assert seen["message.sent"].kind == "message" and seen["message.sent"].message is not None
        assert seen["message.sent"].message.id == sent.id and seen["message.sent"].id.startswith("evt_")
        assert seen["message.acknowledged"].kind == "acknowledgement"
        assert seen["message.acknowledged"].acknowledged is not None
        assert seen["message.acknowledged"].acknowledged["message_id"] == sent.id
        assert seen["thread.updated"].kind == "thread" and seen["thread.updated"].thread is not None
        assert seen["thread.updated"].thread["id"] == sent.thread_id and seen["thread.updated"].message is None
        paused = seen["webhook.paused"]
        assert (paused.kind, paused.message) == ("webhook", None) and paused.id.startswith("evt_")
        shown = acme.do(operations.get_webhooks_id(other["id"]))
        assert paused.webhook is not None and paused.webhook == dict(shown)
        assert paused.webhook["active"] is False and paused.webhook["pause"]["reason"] == "requested"
        for created in (webhook, other):
            acme.do(operations.delete_webhooks_id(created["id"]))


def test_bodies_of_webhooks_and_of_later_versions_are_verified() -> None:
    for body, kind in ((b'{"id":"wh_1"}', "webhook"), (b'{"id":"new_1"}', "unknown"), (b"[]", "unknown")):
        now = str(int(time.time()))
        signature = hmac.new(b"whsec_x", f"{now}.".encode() + body, hashlib.sha256).hexdigest()
        delivery = verify_webhook(body, {"Waybill-Signature": f"t={now},v1={signature}", "webhook-id": "evt_1"}, "whsec_x")
        assert (delivery.kind, delivery.id, delivery.body_text) == (kind, "evt_1", body.decode())

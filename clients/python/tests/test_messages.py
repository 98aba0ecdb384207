from __future__ import annotations

import json
import time
import uuid
from decimal import Decimal
from typing import Any, get_args

import pytest

from waybill import errors, operations
from waybill.types import ErrorCode


def unique() -> str:
    return f"test.{uuid.uuid4().hex[:12]}"


def test_a_message_arrives_with_all_its_fields(acme: Any, globex: Any) -> None:
    sent = acme.send("globex/orders", type=unique(), subject="Order 4711", note="Please confirm.", json={"total": 12, "ü": "€"})
    arrived = globex.message(sent.id)
    assert arrived == sent
    assert (arrived.subject, arrived.note, arrived.json()) == ("Order 4711", "Please confirm.", {"total": 12, "ü": "€"})
    assert arrived.from_["party"]["kind"] == "handle" and arrived.from_["party"]["handle"] == "acme"
    assert (arrived.to["segment"], arrived.in_reply_to, arrived.files) == ("orders", None, [])
    assert arrived.validation["status"] == "not_applicable"
    assert arrived.receipt_url.startswith("http") and sent.id in repr(sent)
    token = arrived.receipt_url.rpartition("/")[2]
    assert globex.do(operations.get_receipts_token(token))["id"] == sent.id


def test_a_reply_joins_the_thread(acme: Any, globex: Any) -> None:
    order = acme.send("globex", subject="Order")
    reply = globex.reply(order, note="It ships tomorrow.")
    again = acme.reply(reply.id, note="Thank you.")
    assert (reply.in_reply_to, again.in_reply_to) == (order.id, reply.id)
    assert [message.id for message in acme.thread(order.thread_id)] == [order.id, reply.id, again.id]


def test_a_reply_acknowledges(acme: Any, globex: Any) -> None:
    order = acme.send("globex", subject="Order")
    globex.reply(order, note="Yes.", acknowledge={"status": "accepted", "reason": "In stock."})
    said: list[Any] = []
    until = time.monotonic() + 10
    while not said and time.monotonic() < until:
        said = acme.acknowledgements(order)
    assert [(one["status"], one["reason"]) for one in said] == [("accepted", "In stock.")]


def test_a_message_and_its_receipt_have_proofs(acme: Any, globex: Any) -> None:
    sent = acme.send("globex", subject="Proven", json={"total": 12})
    proof = json.loads(globex.proof(sent))
    assert (proof["format"], proof["json"]) == ("waybill-proof/1", '{"total":12}')
    assert "json" not in json.loads(globex.proof(sent.id, contents=False))
    assert globex.receipt_proof(sent.receipt_url).startswith("c2sp.org/tlog-proof@v1\n")
    assert json.loads(globex.receipt_proof(sent.receipt_url, format="bundle"))["envelope"] == proof["envelope"]
    with pytest.raises(errors.NotFound):
        acme.proof("msg_00000000000000000000000000")
    with pytest.raises(ValueError, match="rcpt_"):
        acme.receipt_proof("https://example.com/")


def test_a_document_is_downloaded_in_each_form(acme: Any, globex: Any) -> None:
    lines = [{"name": "Ball bearing", "quantity": 200, "price": "3.150", "total": "630.00"}]
    order = acme.send("globex", type="order", json={"number": "PO-4711", "currency": "EUR", "lines": lines})
    assert globex.document(order, "pdf").startswith(b"%PDF-")
    labels, line, end = globex.document(order.id, "csv").decode("utf-8-sig").split("\r\n")
    assert "3.150" in line.split(",") and "Price" in labels.split(",") and end == ""
    assert acme.document(order, "xlsx").startswith(b"PK")
    assert b">PO-4711</" in acme.document(order, "xml")
    with pytest.raises(errors.NotFound):
        acme.document(acme.send("globex", note="No JSON."), "pdf")
    with pytest.raises(errors.NotFound):
        acme.document(order, "pdf/../../..")


DEEP = "[" * 1000 + "]" * 1000
HARD = [
    '{"a": 1.0,"a":12345678901234567890123 , "b":[-0,1E2,1e-7],"":"\\ud800\\u0000\\/"}',
    '{"__proto__":null,"constructor":{"json":[{"json":1}]},"data":"}]\\""}',
    "null",
    '"json"',
    " [ ] ".strip(),
    DEEP,
]


@pytest.mark.parametrize("text", HARD, ids=["numbers", "names", "null", "string", "empty", "deep"])
def test_json_arrives_byte_for_byte(acme: Any, globex: Any, text: str) -> None:
    kind = unique()
    sent = acme.send("globex", type=kind, json_text=text)
    (listed,) = globex.inbox(type=kind)
    assert (sent.json_text, listed.json_text, globex.message(sent.id).json_text) == (text, text, text)
    if text != DEEP:
        assert listed.json() == json.loads(text)
    else:
        # Not compared with ==, because so deep a list would overflow the stack.
        value, depth = listed.json(), 1
        while value:
            (value,) = value
            depth += 1
        assert depth == 1000


def test_a_lossless_reader_keeps_numbers_and_repeated_keys(acme: Any) -> None:
    value = acme.send("globex", json_text=HARD[0]).lossless_json()
    assert value.pairs[:2] == [("a", Decimal("1.0")), ("a", 12345678901234567890123)]
    assert [str(each) for each in value["b"]] == ["-0", "1E+2", "1E-7"]


def test_no_json_differs_from_null(acme: Any) -> None:
    assert acme.send("globex", note="none").json_text is None
    assert acme.send("globex", json=None).json_text == "null"
    with pytest.raises(TypeError):
        acme.send("globex", json=1, json_text="1")
    with pytest.raises(ValueError):
        acme.send("globex", json=float("nan"))


def test_lists_are_read_page_by_page(acme: Any, globex: Any) -> None:
    kind = unique()
    ids = [acme.send("globex", type=kind, json={"number": number}).id for number in range(5)]
    assert [message.id for message in globex.inbox(type=kind, limit=2)] == ids[::-1]
    pages = list(globex.pages(operations.get_inbox(type=kind, limit=2, from_="acme")))
    assert [len(page.items) for page in pages] == [2, 2, 1]
    assert [message.json()["number"] for message in acme.outbox(type=kind)] == [4, 3, 2, 1, 0]
    assert list(globex.inbox(type=kind, from_="globex")) == []
    (summary, *_) = globex.inbox(type=kind, include="summary")
    assert summary.json_text is None and summary.envelope["json_bytes"] == len('{"number":4}')


def test_an_idempotency_key_makes_one_message(acme: Any) -> None:
    key = unique()
    first = acme.send("globex", subject="once", idempotency_key=key)
    again = acme.send("globex", subject="once", idempotency_key=key)
    assert again == first and (first.is_replayed, again.is_replayed, again.body_differs) == (False, True, False)
    assert acme.send("globex", subject="once") != first


def test_an_idempotency_key_of_another_message_warns(acme: Any) -> None:
    key = unique()
    first = acme.send("globex", subject="An order", idempotency_key=key)
    with pytest.warns(UserWarning, match=f"{key} was used for another message before, {first.id}"):
        again = acme.send("globex", subject="An invoice", idempotency_key=key)
    assert again == first and again.body_differs


def test_every_operation_of_a_key_can_be_called(acme: Any, globex: Any) -> None:
    assert acme.me()["business"]["handle"] == "acme"
    assert len(acme.do(operations.get_usage(days=3))["days"]) == 3
    thread = acme.send("globex", subject="A label").thread_id
    assert globex.do(operations.patch_threads_id(thread, {"labels": ["urgent"]}))["labels"] == ["urgent"]
    assert globex.do(operations.post_threads_id_read(thread, {})) is None
    comment = globex.do(operations.post_threads_id_comments(thread, {"text": "For tomorrow."}))
    assert [each["id"] for each in globex.items(operations.get_threads_id_comments(thread))] == [comment["id"]]


def test_refusals_have_classes(acme: Any, client: Any, service: Any) -> None:
    with pytest.raises(errors.UnknownRecipient) as unknown:
        acme.send("nobody-has-this")
    assert unknown.value.status == 404 and unknown.value.request_id.startswith("req_")
    with pytest.raises(errors.ValidationError) as invalid:
        acme.send("globex", subject="x" * 300)
    assert invalid.value.details[0]["path"] == "/subject"
    for id in ("msg_unknown", "../me", "a/b", "?"):
        with pytest.raises(errors.NotFound):
            acme.message(id)
    with client("wb_wrong", service.url) as stranger, pytest.raises(errors.Unauthorized):
        stranger.me()


def test_every_code_has_a_class() -> None:
    assert set(errors.ApiError.classes) == set(get_args(ErrorCode))


def test_a_client_says_what_it_needs(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WAYBILL_KEY", raising=False)
    with pytest.raises(ValueError, match="WAYBILL_KEY"):
        client()
    with pytest.raises(ValueError, match="https://"):
        client("wb_key", "waybill.example")


def test_many_messages_go_with_few_requests(acme: Any, globex: Any) -> None:
    type = unique()
    outcomes = list(acme.send_many({"to": "globex", "type": type, "subject": str(i), "json": {"i": i}} for i in range(230)))
    assert [outcome.message["subject"] for outcome in outcomes] == [str(i) for i in range(230)]
    assert [message.subject for message in globex.inbox(type=type)] == [str(i) for i in reversed(range(230))]
    assert globex.message(outcomes[7].message["id"]).json() == {"i": 7}


def test_a_message_of_many_is_refused_for_itself_alone(acme: Any) -> None:
    good, unknown, wrong = acme.send_many([{"to": "globex", "json_text": "1.0"}, {"to": "nobody-there"}, {"to": "globex", "type": "x" * 81}])
    assert good.error is None and acme.message(good.message["id"]).json_text == "1.0"
    assert isinstance(unknown.error, errors.UnknownRecipient) and unknown.message is None
    assert isinstance(wrong.error, errors.ValidationError) and wrong.error.details[0]["path"] == "/type"


def test_many_can_be_repeated(acme: Any, tmp_path: Any) -> None:
    file = tmp_path / "scan.txt"
    file.write_bytes(b"hello")
    many = [{"to": "globex", "idempotency_key": unique(), "files": [file]}]
    first, again = [next(iter(acme.send_many(many))) for _ in range(2)]
    assert (first.is_replayed, again.is_replayed, again.message["id"]) == (False, True, first.message["id"])
    assert first.message["files"][0]["size_bytes"] == 5

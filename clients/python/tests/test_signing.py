from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from waybill import SigningKey, Waybill
from waybill.call import Call
from waybill.canonical import canonical
from waybill.errors import ApiError, HashMismatch
from waybill.signing import signer_of
from waybill.statements import _hashed_text, files_hash, party_name, recipient_name, require_content

# The key of RFC 9421, appendix B.1.4.
PEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----"
SEED = "n4Ni+HpISpVObnQMW0wOhCKROaIKqKtW/2ZYb2p9KcU="


def test_signs_as_the_typescript_client_does() -> None:
    """The same key, request and time give the same signature; packages/client/test/http-signature.test.ts has the same text."""
    headers = {
        "idempotency-key": "order-17",
        "waybill-recipient": recipient_name("@Globex/orders"),
        "waybill-files": files_hash([f"sha256:{n:064}" for n in (1, 2)]),
    }
    call: Call[Any] = Call("POST", "/v1/messages", str, headers=headers, body=b'{"to":"globex"}')
    at = ("/v1/messages", "Waybill.example.com:8443", 1_800_000_000.9, "bm9uY2Vub25jZW5vbmNlMTIz")
    first = signer_of(SigningKey("sgk_1", PEM)).headers(call, *at)
    assert first == signer_of(SigningKey("sgk_1", SEED)).headers(call, *at)
    covered = '("@method" "@path" "@authority" "content-digest" "idempotency-key" "waybill-recipient" "waybill-files")'
    assert first["signature-input"] == (
        f'waybill={covered};created=1800000000;keyid="sgk_1";alg="ed25519";nonce="bm9uY2Vub25jZW5vbmNlMTIz"'
    )
    assert first["signature"] == "waybill=:TCO1i6yXa3aD/KWlqk/ErG14KhtSL2pRHdbLTpc7pY1Vaf7WFMmBnd9tv3NC8oRwTXqjt8NpEtnzixIzBUBNDA==:"


def test_each_signature_has_a_nonce_of_its_own() -> None:
    call: Call[Any] = Call("POST", "/v1/messages", str, body=b"{}")
    signer = signer_of(SigningKey("sgk_1", SEED))
    assert len({signer.headers(call, call.path, "example.com", 1.0)["signature-input"] for _ in range(50)}) == 50


def test_signs_only_what_is_part_of_a_proof() -> None:
    signer = signer_of(SigningKey("sgk_1", SEED))
    assert signer.headers(Call("GET", "/v1/messages", str), "/v1/messages", "example.com") == {}
    assert signer.headers(Call("POST", "/v1/webhooks", str), "/v1/webhooks", "example.com") == {}


def test_names_recipients_as_the_typescript_client_does() -> None:
    """packages/client/test/signed-recipient.test.ts has the same names."""
    names = ["Globex", "@globex/Orders", "GLOBEX+orders@Waybill.example", "ü%@k\u212a.example"]
    assert [recipient_name(name) for name in names] == [
        "globex",
        "globex",
        "globex+orders@waybill.example",
        "%C3%BC%25@k%E2%84%AA.example",
    ]
    parties: list[dict[str, str]] = [{"handle": "globex"}, {"domain": "Tailor.example"}, {"email": "Ann@tailor.example"}]
    assert [party_name(party) for party in parties] == ["globex", "tailor.example", "ann@tailor.example"]


@pytest.mark.parametrize("private_key", ["", "AAAA", "not base64", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
def test_refuses_what_is_no_key(private_key: str) -> None:
    with pytest.raises(ValueError):
        Waybill("wb_x", "https://example.com", signing_key=SigningKey("sgk_1", private_key))


def test_an_unknown_key_sends_nothing(service: Any) -> None:
    with Waybill(service.keys["acme"], service.url, signing_key=SigningKey("sgk_00000000000000000000000000", SEED)) as waybill:
        with pytest.raises(ApiError) as refused:
            waybill.send("globex", note="x")
    assert refused.value.code == "invalid_signature"


def test_a_hash_that_is_not_that_of_the_content_is_not_signed(acme: Any, globex: Any, tmp_path: Path) -> None:
    scan = tmp_path / "scan.txt"
    scan.write_text("a scan")
    sent = acme.send("globex", note='“€” \u2028 \x7f \\ "', json={"ü": [1.0, "a"]}, files=[scan])
    message = globex.message(sent.id)
    assert require_content(message) == message.envelope["content_hash"]
    others = [
        replace(message, json_text='{"ü":[1.0,"b"]}'),
        replace(message, json_text='{"ü":[2],"ü":[1.0,"a"]}'),
        replace(message, json_text=None),
        replace(message, envelope={**message.envelope, "note": "another"}),
        replace(message, envelope={**message.envelope, "content_hash": f"sha256:{0:064}"}),
    ]
    for other in others:
        with pytest.raises(HashMismatch):
            require_content(other)


def content_hash_of(envelope: dict[str, Any]) -> str:
    return "sha256:" + hashlib.sha256(_hashed_text(envelope, float("inf")).encode()).hexdigest()


def test_without_the_hash_of_its_bytes_json_must_have_the_canonical_hash(acme: Any, globex: Any) -> None:
    sent = acme.send("globex", json={"total": 12, "ü": [0.1]})
    message = globex.message(sent.id)
    older = {**message.envelope, "json_bytes_sha256": None}
    older["content_hash"] = content_hash_of(older)
    assert require_content(replace(message, envelope=older, json_text='{ "\\u00fc": [1e-1], "total": 12.0 }')) == older["content_hash"]
    for text in ['{"total":13,"ü":[0.1]}', "[]", "1e400", "no JSON", None]:
        with pytest.raises(HashMismatch):
            require_content(replace(message, envelope=older, json_text=text))


def test_canonical_json() -> None:
    """The numbers of RFC 8785, appendix B, and what ECMAScript makes of the rest."""
    numbers = "[-0, 5e-324, -1.7976931348623157e308, 9007199254740992, 295147905179352830000, 1e21, 9.5e-7, 1e-6, 0.000001234, 333333333.3333333]"
    assert canonical(numbers) == (
        "[0,5e-324,-1.7976931348623157e+308,9007199254740992,295147905179352830000,1e+21,9.5e-7,0.000001,0.000001234,333333333.3333333]"
    )
    assert canonical('{"\\ufb33": 1, "\\ud83d\\ude02": true, "\\ud800": null, "a": 1, "a": "\\u2028\\n\\/"}') == (
        '{"a":"\u2028\\n/","\\ud800":null,"\U0001f602":true,"\ufb33":1}'
    )
    assert canonical("[" * 1_000 + "]" * 1_000) == "[" * 1_000 + "]" * 1_000
    with pytest.raises(ValueError):
        canonical("[NaN]")


def test_a_summary_is_read_before_it_is_acknowledged(service: Any, acme: Any) -> None:
    acme.send("globex", type="summarised", json={"total": 12})
    # The key is not registered: the service refuses the signature, and nothing else.
    with Waybill(service.keys["globex"], service.url, signing_key=SigningKey("sgk_00000000000000000000000000", SEED)) as waybill:
        (summary, *_) = waybill.inbox(type="summarised", include="summary")
        with pytest.raises(HashMismatch):
            require_content(summary)
        with pytest.raises(HashMismatch):
            waybill.acknowledge(replace(summary, envelope={**summary.envelope, "content_hash": f"sha256:{0:064}"}), "accepted")
        with pytest.raises(ApiError) as refused:
            waybill.acknowledge(summary, "accepted")
    assert refused.value.code == "invalid_signature"


def test_acknowledges(acme: Any, globex: Any) -> None:
    sent = acme.send("globex", note="an order")
    assert acme.acknowledgements(sent) == []
    said = globex.acknowledge(sent, "accepted")
    assert globex.acknowledge(sent.id, "accepted") == said
    assert (said["status"], said["reason"], said["signing_key_id"]) == ("accepted", None, None)
    assert acme.acknowledgements(sent.id) == [said]

from __future__ import annotations

from typing import Any

import pytest

from waybill import SigningKey, Waybill
from waybill.call import Call
from waybill.errors import ApiError
from waybill.signing import signer_of

# The key of RFC 9421, appendix B.1.4.
PEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----"
SEED = "n4Ni+HpISpVObnQMW0wOhCKROaIKqKtW/2ZYb2p9KcU="


def test_signs_as_the_typescript_client_does() -> None:
    """The same key, request and time give the same signature; packages/client/test/http-signature.test.ts has the same text."""
    call: Call[Any] = Call("POST", "/v1/messages", str, headers={"idempotency-key": "order-17"}, body=b'{"to":"globex"}')
    first = signer_of(SigningKey("sgk_1", PEM)).headers(call, "/v1/messages", 1_800_000_000.9)
    assert first == signer_of(SigningKey("sgk_1", SEED)).headers(call, "/v1/messages", 1_800_000_000)
    assert first["signature-input"] == (
        'waybill=("@method" "@path" "content-digest" "idempotency-key");created=1800000000;keyid="sgk_1";alg="ed25519"'
    )
    assert first["signature"] == "waybill=:PkUirxzW0NCQmSqCDdb3j06c3NXRpnxu6XV4amLIPSiPszILS+TjCERxdmQZcQDto2pkcQUuAolLoY6vZGSoCQ==:"


def test_signs_only_what_is_part_of_a_proof() -> None:
    signer = signer_of(SigningKey("sgk_1", SEED))
    assert signer.headers(Call("GET", "/v1/messages", str), "/v1/messages") == {}
    assert signer.headers(Call("POST", "/v1/webhooks", str), "/v1/webhooks") == {}


@pytest.mark.parametrize("private_key", ["", "AAAA", "not base64", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
def test_refuses_what_is_no_key(private_key: str) -> None:
    with pytest.raises(ValueError):
        Waybill("wb_x", "https://example.com", signing_key=SigningKey("sgk_1", private_key))


def test_an_unknown_key_sends_nothing(service: Any) -> None:
    with Waybill(service.keys["acme"], service.url, signing_key=SigningKey("sgk_00000000000000000000000000", SEED)) as waybill:
        with pytest.raises(ApiError) as refused:
            waybill.send("globex", note="x")
    assert refused.value.code == "invalid_signature"


def test_acknowledges(acme: Any, globex: Any) -> None:
    sent = acme.send("globex", note="an order")
    assert acme.acknowledgements(sent) == []
    said = globex.acknowledge(sent, "accepted")
    assert globex.acknowledge(sent.id, "accepted") == said
    assert (said["status"], said["reason"], said["signing_key_id"]) == ("accepted", None, None)
    assert acme.acknowledgements(sent.id) == [said]

import hashlib
import hmac
import re
import time


def is_genuine(secret: str, signature: str | None, body: bytes) -> bool:
    """The header Waybill-Signature, the body's bytes as they came, the whole secret, whsec_…"""
    parts = re.fullmatch(r"t=([0-9]{1,19})((?:,v1=[0-9a-f]{64})+)", signature or "")
    if not parts or abs(time.time() - int(parts[1])) > 300:
        return False
    expected = hmac.new(secret.encode(), parts[1].encode() + b"." + body, hashlib.sha256)
    return any(hmac.compare_digest(expected.hexdigest(), v1) for v1 in parts[2].split(",v1="))

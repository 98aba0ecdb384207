"""The Python client of Waybill, a message exchange service for businesses.

    from waybill import Waybill

    with Waybill(key, url) as waybill:
        waybill.send("globex/orders", type="order", json={"items": [{"sku": "A-1", "quantity": 3}]})
"""

from . import errors, lossless, operations, types
from .async_client import AsyncWaybill
from .client import Waybill
from .documents import DocumentForm
from .errors import (
    ApiError,
    ConnectionFailed,
    HashMismatch,
    SignatureInvalid,
    UploadInterrupted,
    WaybillError,
)
from .events import Event
from .many import ManyFields, Outcome
from .message import Leased, Message
from .signing import SigningKey
from .steps import VERSION as __version__
from .transfers import Progress, Uploaded
from .webhooks import Delivery, verify_webhook

__all__ = [
    "ApiError",
    "AsyncWaybill",
    "ConnectionFailed",
    "Delivery",
    "DocumentForm",
    "Event",
    "HashMismatch",
    "Leased",
    "ManyFields",
    "Message",
    "Outcome",
    "Progress",
    "SignatureInvalid",
    "SigningKey",
    "UploadInterrupted",
    "Uploaded",
    "Waybill",
    "WaybillError",
    "__version__",
    "errors",
    "lossless",
    "operations",
    "types",
    "verify_webhook",
]

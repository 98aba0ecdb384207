"""What can go wrong. Every refusal of the service has a class, so that you can catch the one that you expect."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import httpx


class WaybillError(Exception):
    """Everything that this package raises, except for wrong arguments."""


class ConnectionFailed(WaybillError):
    """No response: the service can't be reached, or the connection broke or timed out."""


class HashMismatch(WaybillError):
    """The bytes that arrived are not those that were sent."""


class SignatureInvalid(WaybillError):
    """A webhook delivery that does not come from the service, or is too old. Respond with 401."""


class UploadInterrupted(WaybillError):
    """An upload that can be resumed: `client.upload(file, resume=error.upload_id)`, within 24 hours."""

    def __init__(self, upload_id: str, reason: Exception) -> None:
        super().__init__(f"The upload {upload_id} was interrupted: {reason}. Resume it with resume={upload_id!r}.")
        self.upload_id = upload_id


class ApiError(WaybillError):
    """A response that is an error. Branch on the class, or on `code`; `message` is for people."""

    code: str = "unexpected_response"
    classes: ClassVar[dict[str, type[ApiError]]] = {}

    def __init__(self, response: httpx.Response) -> None:
        error = _error_in(response)
        self.status = response.status_code
        self.code = str(error.get("code", self.code))
        self.message = str(error.get("message", f"{response.status_code} {response.reason_phrase}"))
        self.request_id = str(error.get("request_id", response.headers.get("x-request-id", "")))
        self.details: list[dict[str, str]] = error.get("details", [])
        self.retry_after = _seconds(response.headers.get("retry-after"))
        super().__init__(f"{self.code}: {self.message} (request {self.request_id or 'unknown'})")

    def __init_subclass__(cls) -> None:
        ApiError.classes[cls.code] = cls

    @staticmethod
    def of(response: httpx.Response) -> ApiError:
        """The error of the class that its code has; codes that this version does not know are plain ApiErrors."""
        code = _error_in(response).get("code")
        return ApiError.classes.get(str(code), ApiError)(response)


def _error_in(response: httpx.Response) -> dict[str, Any]:
    """A proxy in between may respond with anything."""
    try:
        error = json.loads(response.text)["error"]
        return error if isinstance(error, dict) else {}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}


def _seconds(value: str | None) -> float | None:
    return float(value) if value is not None and value.isascii() and value.isdigit() else None


class Unauthorized(ApiError):
    code = "unauthorized"


class Forbidden(ApiError):
    code = "forbidden"


class NotFound(ApiError):
    code = "not_found"


class NotLogged(ApiError):
    code = "not_logged"


class UnknownRecipient(ApiError):
    code = "unknown_recipient"


class PartyRequired(ApiError):
    code = "party_required"


class ReplyUnaddressable(ApiError):
    code = "reply_unaddressable"


class ReplyRecipientMismatch(ApiError):
    code = "reply_recipient_mismatch"


class SenderBlocked(ApiError):
    code = "sender_blocked"


class RateLimited(ApiError):
    code = "rate_limited"


class QuotaExceeded(ApiError):
    code = "quota_exceeded"


class ValidationError(ApiError):
    code = "validation_error"


class InvalidJson(ApiError):
    code = "invalid_json"


class JsonTooLarge(ApiError):
    code = "json_too_large"


class FileTooLarge(ApiError):
    code = "file_too_large"


class UploadNotFound(ApiError):
    code = "upload_not_found"


class UploadIncomplete(ApiError):
    code = "upload_incomplete"


class InvalidWebhookUrl(ApiError):
    code = "invalid_webhook_url"


class InvalidSignature(ApiError):
    code = "invalid_signature"


class InvalidSchema(ApiError):
    code = "invalid_schema"


class MethodNotAllowed(ApiError):
    code = "method_not_allowed"


class UnsupportedMediaType(ApiError):
    code = "unsupported_media_type"


class Conflict(ApiError):
    code = "conflict"


class InternalError(ApiError):
    code = "internal_error"


class Unavailable(ApiError):
    code = "unavailable"

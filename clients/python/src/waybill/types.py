"""What the API takes and returns.

Generated from the OpenAPI document by `npm run python-types`; a test fails when it is out of date.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired  # comes with httpx

ErrorCode = Literal[
    "unauthorized",
    "forbidden",
    "not_found",
    "not_logged",
    "unknown_recipient",
    "party_required",
    "reply_unaddressable",
    "reply_recipient_mismatch",
    "sender_blocked",
    "rate_limited",
    "quota_exceeded",
    "validation_error",
    "invalid_json",
    "json_too_large",
    "file_too_large",
    "upload_not_found",
    "upload_incomplete",
    "invalid_webhook_url",
    "invalid_signature",
    "invalid_schema",
    "method_not_allowed",
    "unsupported_media_type",
    "conflict",
    "internal_error",
    "unavailable",
]

ALWAYS_HASHED: list[str] = ["type", "subject", "note"]
HASHED_IF_GIVEN: list[str] = ["expires_at"]


class HandleParty(TypedDict):
    kind: Literal["handle"]
    handle: str
    display_name: str


class DomainParty(TypedDict):
    kind: Literal["domain"]
    domain: str
    display_name: str


class MailboxParty(TypedDict):
    kind: Literal["mailbox"]
    email: str
    display_name: str


Party = HandleParty | DomainParty | MailboxParty


class Actor(TypedDict):
    kind: Literal["agent", "person", "mailbox"]
    id: str
    name: str
    email: str | None
    verified: bool
    provider: Literal["api_key", "email", "google", "microsoft", "oidc", "smtp"]


class EnvelopeFrom(TypedDict):
    """The sender, with the names at delivery."""

    party: Party
    actor: Actor


class EnvelopeTo(TypedDict):
    """The recipient, with the names at delivery."""

    party: Party
    segment: NotRequired[str | None]


class File(TypedDict):
    id: str
    filename: str
    content_type: str
    size_bytes: int
    sha256: str | None
    download_url: str


class ValidationErrorsItem(TypedDict):
    path: str
    message: str
    keyword: str
    allowed: NotRequired[list[Any]]
    allowed_count: NotRequired[int]
    pattern: NotRequired[str]


class Validation(TypedDict):
    status: Literal["passed", "failed", "not_applicable"]
    errors: list[ValidationErrorsItem]


Envelope = TypedDict(
    "Envelope",
    {
        "id": "str",
        "thread_id": "str",
        "in_reply_to": "str | None",
        "from": "EnvelopeFrom",
        "to": "EnvelopeTo",
        "type": "str | None",
        "subject": "str | None",
        "note": "str | None",
        "expires_at": "str | None",
        "json": "Any",
        "json_sha256": "str | None",
        "json_bytes_sha256": "str | None",
        "files": "list[File]",
        "validation": "Validation",
        "received_at": "str",
        "content_hash": "str",
        "receipt_url": "str",
        "idempotency_key": "NotRequired[str]",
    },
)


class EnvelopeSummaryFrom(TypedDict):
    """The sender, with the names at delivery."""

    party: Party
    actor: Actor


class EnvelopeSummaryTo(TypedDict):
    """The recipient, with the names at delivery."""

    party: Party
    segment: NotRequired[str | None]


EnvelopeSummary = TypedDict(
    "EnvelopeSummary",
    {
        "id": "str",
        "thread_id": "str",
        "in_reply_to": "str | None",
        "from": "EnvelopeSummaryFrom",
        "to": "EnvelopeSummaryTo",
        "type": "str | None",
        "subject": "str | None",
        "note": "str | None",
        "expires_at": "str | None",
        "json_bytes": "int | None",
        "json_sha256": "str | None",
        "json_bytes_sha256": "str | None",
        "files": "list[File]",
        "validation": "Validation",
        "received_at": "str",
        "content_hash": "str",
        "receipt_url": "str",
        "idempotency_key": "NotRequired[str]",
    },
)


class ErrorErrorDetailsItem(TypedDict):
    path: str
    message: str
    limit: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    offset: NotRequired[int]


class ErrorError(TypedDict):
    code: Literal["unauthorized", "forbidden", "not_found", "not_logged", "unknown_recipient", "party_required", "reply_unaddressable", "reply_recipient_mismatch", "sender_blocked", "rate_limited", "quota_exceeded", "validation_error", "invalid_json", "json_too_large", "file_too_large", "upload_not_found", "upload_incomplete", "invalid_webhook_url", "invalid_signature", "invalid_schema", "method_not_allowed", "unsupported_media_type", "conflict", "internal_error", "unavailable"]
    message: str
    request_id: str
    details: NotRequired[list[ErrorErrorDetailsItem]]


class Error(TypedDict):
    error: ErrorError


class BatchOutcomeErrorDetailsItem(TypedDict):
    path: str
    message: str


class BatchOutcomeError(TypedDict):
    code: Literal["unauthorized", "forbidden", "not_found", "not_logged", "unknown_recipient", "party_required", "reply_unaddressable", "reply_recipient_mismatch", "sender_blocked", "rate_limited", "quota_exceeded", "validation_error", "invalid_json", "json_too_large", "file_too_large", "upload_not_found", "upload_incomplete", "invalid_webhook_url", "invalid_signature", "invalid_schema", "method_not_allowed", "unsupported_media_type", "conflict", "internal_error", "unavailable"]
    message: str
    details: NotRequired[list[BatchOutcomeErrorDetailsItem]]


class BatchOutcome(TypedDict):
    status: int
    message: EnvelopeSummary | None
    error: BatchOutcomeError | None
    retry_after: int | None
    idempotent_replayed: bool
    idempotent_body_differs: bool
    promise: NotRequired[str]


class PostMessagesBatchResponse(TypedDict):
    data: list[BatchOutcome]


class BatchMessageAcknowledge(TypedDict):
    status: Literal["accepted", "rejected", "processed"]
    reason: NotRequired[str | None]


class BatchMessage(TypedDict):
    """A message of a batch: the fields of a single send, and its own key."""

    to: NotRequired[str | None]
    in_reply_to: NotRequired[str | None]
    type: NotRequired[str | None]
    subject: NotRequired[str | None]
    note: NotRequired[str | None]
    expires_in: NotRequired[int | None]
    acknowledge: NotRequired[BatchMessageAcknowledge | None]
    json: NotRequired[Any]
    files: NotRequired[list[str]]
    idempotency_key: NotRequired[str | None]


class BatchRequest(TypedDict):
    messages: list[BatchMessage]


class GetInboxQuery(TypedDict, total=False):
    limit: int
    cursor: str
    include: Literal["summary"]
    since: str
    until: str
    from_: str
    type: str
    validation: Literal["passed", "failed", "not_applicable"]
    thread: str
    to: str


class GetOutboxQuery(TypedDict, total=False):
    limit: int
    cursor: str
    include: Literal["summary"]
    since: str
    until: str
    from_: str
    type: str
    validation: Literal["passed", "failed", "not_applicable"]
    thread: str


class SigningKeyDomain(TypedDict):
    name: str
    since: str


class SigningKey(TypedDict):
    id: str
    public_key: str
    created_at: str
    revoked_at: str | None
    domain: SigningKeyDomain | None


class Signature(TypedDict):
    key: SigningKey
    created_at: str
    covers: list[Literal["service", "recipient", "files", "content"]]
    signature_input: str
    signature: str
    components: dict[str, str]
    body: str


class Acknowledgement(TypedDict):
    status: Literal["accepted", "rejected", "processed"]
    reason: str | None
    at: str
    party: Party
    actor: Actor
    number: int | None
    signing_key_id: str | None


class AcknowledgementRequest(TypedDict):
    status: Literal["accepted", "rejected", "processed"]
    reason: NotRequired[str | None]
    content_hash: NotRequired[str | None]
    number: NotRequired[int | None]


class HandOver(TypedDict):
    """The first time that a system of the recipient took the message. It says nothing of what becomes of the message."""

    way: Literal["webhook", "consumer"]
    at: str
    number: int | None


class NonDelivery(TypedDict):
    """Nobody took the message by its `expires_at`."""

    at: str
    number: int


class GetMessagesIdAcknowledgementsResponse(TypedDict):
    data: list[Acknowledgement]
    handed_over: HandOver | None
    expired: NonDelivery | None
    next_number: int


class PostMessagesIdRedeliverResponse(TypedDict):
    queued: Literal[True]
    job_id: str


class PostMessagesIdRedeliverBody(TypedDict):
    webhook_id: str


class ReceiptFrom(TypedDict):
    """The sender, with the names at delivery."""

    party: Party
    actor: Actor


class ReceiptTo(TypedDict):
    """The recipient, with the names at delivery."""

    party: Party
    segment: NotRequired[str | None]


class ReceiptFile(TypedDict):
    id: str
    filename: str
    content_type: str
    size_bytes: int
    sha256: str | None


Receipt = TypedDict(
    "Receipt",
    {
        "id": "str",
        "thread_id": "str",
        "in_reply_to": "str | None",
        "from": "ReceiptFrom",
        "to": "ReceiptTo",
        "type": "str | None",
        "subject": "str | None",
        "note": "str | None",
        "expires_at": "str | None",
        "json_sha256": "str | None",
        "json_bytes_sha256": "str | None",
        "files": "list[ReceiptFile]",
        "validation": "Validation",
        "received_at": "str",
        "content_hash": "str",
        "receipt_url": "str",
        "idempotency_key": "NotRequired[str]",
    },
)


class MinimalReceiptFrom(TypedDict):
    """Who sent it."""

    party: Party


class MinimalReceiptTo(TypedDict):
    """Who received it."""

    party: Party


class MinimalReceiptFilesItem(TypedDict):
    sha256: str | None


MinimalReceipt = TypedDict(
    "MinimalReceipt",
    {
        "detail": "Literal[\"minimal\"]",
        "id": "str",
        "from": "MinimalReceiptFrom",
        "to": "MinimalReceiptTo",
        "json_sha256": "str | None",
        "json_bytes_sha256": "str | None",
        "files": "list[MinimalReceiptFilesItem]",
        "received_at": "str",
        "content_hash": "str",
        "receipt_url": "str",
    },
)


AnyReceipt = Receipt | MinimalReceipt


class ReceiptSignature(TypedDict):
    key: SigningKey
    created_at: str
    covers: list[Literal["service", "recipient", "files", "content"]]


class Colleague(TypedDict):
    """A member or an agent of your business."""

    kind: Literal["person", "agent"]
    id: str
    name: str


class ThreadDocument(TypedDict):
    """What the documents of a thread say, by the layouts of their types; of JSON of other types, by names such as `invoice_number`."""

    state: Literal["requested", "quoted", "ordered", "changed", "confirmed", "despatched", "received", "invoiced", "disputed", "credited", "paid", "rejected"] | None
    type: str | None
    number: str | None
    total: str | None
    currency: str | None
    due_date: str | None


Thread = TypedDict(
    "Thread",
    {
        "id": "str",
        "subject": "str | None",
        "parties": "list[Party]",
        "with": "Party",
        "last_message": "EnvelopeSummary",
        "message_count": "int",
        "unread_count": "int",
        "status": "Literal[\"open\", \"done\"]",
        "assignee": "Colleague | None",
        "labels": "list[str]",
        "has_files": "bool",
        "failed_schema": "bool",
        "type": "str | None",
        "document": "ThreadDocument | None",
        "updated_at": "str",
    },
)


class GetThreadsQuery(TypedDict, total=False):
    limit: int
    cursor: str
    box: Literal["in", "out"]
    status: Literal["open", "done"]
    assignee: str
    label: str
    unread: bool
    type: str
    with_: str
    segment: str
    failed_schema: bool
    since: str
    until: str
    document_state: Literal["requested", "quoted", "ordered", "changed", "confirmed", "despatched", "received", "invoiced", "disputed", "credited", "paid", "rejected"]
    number: str
    due_after: str
    due_before: str
    total_min: str
    total_max: str
    sort: Literal["updated", "due_date", "total", "number"]
    order: Literal["asc", "desc"]


class ThreadCount(TypedDict):
    count: int
    capped: bool


class GetThreadsCountsResponse(TypedDict):
    open: ThreadCount
    mine: ThreadCount
    unassigned: ThreadCount
    unread: ThreadCount
    failed_schema: ThreadCount
    done: ThreadCount
    sent: ThreadCount
    all: ThreadCount


class GetThreadsLabelsResponseDataItem(TypedDict):
    label: str


class GetThreadsLabelsResponse(TypedDict):
    data: list[GetThreadsLabelsResponseDataItem]


class GetThreadsAssigneesResponse(TypedDict):
    data: list[Colleague]


class PostThreadsBatchResponse(TypedDict):
    changed: int


class PostThreadsBatchBody(TypedDict):
    ids: list[str]
    status: NotRequired[Literal["open", "done"]]
    assignee: NotRequired[str | None]
    labels: NotRequired[list[str]]
    add_labels: NotRequired[list[str]]
    remove_labels: NotRequired[list[str]]
    unread: NotRequired[bool]


class GetThreadsIdQuery(TypedDict, total=False):
    limit: int
    cursor: str
    include: Literal["summary"]


class ThreadState(TypedDict):
    """What your business has decided about a thread. The other party does not see it."""

    subject: str | None
    message_count: int
    unread_count: int
    status: Literal["open", "done"]
    assignee: Colleague | None
    labels: list[str]
    document: ThreadDocument | None


class PatchThreadsIdBody(TypedDict):
    status: NotRequired[Literal["open", "done"]]
    assignee: NotRequired[str | None]
    labels: NotRequired[list[str]]
    add_labels: NotRequired[list[str]]
    remove_labels: NotRequired[list[str]]
    unread: NotRequired[bool]


class PostThreadsIdReadBody(TypedDict):
    unread: NotRequired[bool]


class Comment(TypedDict):
    """A comment inside of your business. The other party never sees it."""

    id: str
    author: Colleague
    text: str
    mentions: list[Colleague]
    created_at: str


class GetThreadsIdCommentsQuery(TypedDict, total=False):
    limit: int
    cursor: str


class PostThreadsIdCommentsBody(TypedDict):
    text: str
    mentions: NotRequired[list[str]]


ViewFilter = TypedDict(
    "ViewFilter",
    {
        "box": "NotRequired[Literal[\"in\", \"out\"]]",
        "status": "NotRequired[Literal[\"open\", \"done\"]]",
        "assignee": "NotRequired[str]",
        "label": "NotRequired[str]",
        "unread": "NotRequired[bool]",
        "type": "NotRequired[str]",
        "with": "NotRequired[str]",
        "segment": "NotRequired[str]",
        "failed_schema": "NotRequired[bool]",
        "since": "NotRequired[str]",
        "until": "NotRequired[str]",
        "document_state": "NotRequired[Literal[\"requested\", \"quoted\", \"ordered\", \"changed\", \"confirmed\", \"despatched\", \"received\", \"invoiced\", \"disputed\", \"credited\", \"paid\", \"rejected\"]]",
        "number": "NotRequired[str]",
        "due_after": "NotRequired[str]",
        "due_before": "NotRequired[str]",
        "total_min": "NotRequired[str]",
        "total_max": "NotRequired[str]",
        "sort": "NotRequired[Literal[\"updated\", \"due_date\", \"total\", \"number\"]]",
        "order": "NotRequired[Literal[\"asc\", \"desc\"]]",
    },
)


class View(TypedDict):
    """A saved filter of threads, with the number of threads that it has for you."""

    id: str
    name: str
    filter: ViewFilter
    shared: bool
    mine: bool
    threads: ThreadCount
    digest: Literal["hourly", "daily", "never"]
    created_at: str


class GetViewsResponse(TypedDict):
    data: list[View]


PostViewsBodyFilter = TypedDict(
    "PostViewsBodyFilter",
    {
        "box": "NotRequired[Literal[\"in\", \"out\"]]",
        "status": "NotRequired[Literal[\"open\", \"done\"]]",
        "assignee": "NotRequired[str]",
        "label": "NotRequired[str]",
        "unread": "NotRequired[bool]",
        "type": "NotRequired[str]",
        "with": "NotRequired[str]",
        "segment": "NotRequired[str]",
        "failed_schema": "NotRequired[bool]",
        "since": "NotRequired[str]",
        "until": "NotRequired[str]",
        "document_state": "NotRequired[Literal[\"requested\", \"quoted\", \"ordered\", \"changed\", \"confirmed\", \"despatched\", \"received\", \"invoiced\", \"disputed\", \"credited\", \"paid\", \"rejected\"]]",
        "number": "NotRequired[str]",
        "due_after": "NotRequired[str]",
        "due_before": "NotRequired[str]",
        "total_min": "NotRequired[str]",
        "total_max": "NotRequired[str]",
        "sort": "NotRequired[Literal[\"updated\", \"due_date\", \"total\", \"number\"]]",
        "order": "NotRequired[Literal[\"asc\", \"desc\"]]",
    },
)


class PostViewsBody(TypedDict):
    name: str
    filter: PostViewsBodyFilter
    shared: NotRequired[bool]


PatchViewsIdBodyFilter = TypedDict(
    "PatchViewsIdBodyFilter",
    {
        "box": "NotRequired[Literal[\"in\", \"out\"]]",
        "status": "NotRequired[Literal[\"open\", \"done\"]]",
        "assignee": "NotRequired[str]",
        "label": "NotRequired[str]",
        "unread": "NotRequired[bool]",
        "type": "NotRequired[str]",
        "with": "NotRequired[str]",
        "segment": "NotRequired[str]",
        "failed_schema": "NotRequired[bool]",
        "since": "NotRequired[str]",
        "until": "NotRequired[str]",
        "document_state": "NotRequired[Literal[\"requested\", \"quoted\", \"ordered\", \"changed\", \"confirmed\", \"despatched\", \"received\", \"invoiced\", \"disputed\", \"credited\", \"paid\", \"rejected\"]]",
        "number": "NotRequired[str]",
        "due_after": "NotRequired[str]",
        "due_before": "NotRequired[str]",
        "total_min": "NotRequired[str]",
        "total_max": "NotRequired[str]",
        "sort": "NotRequired[Literal[\"updated\", \"due_date\", \"total\", \"number\"]]",
        "order": "NotRequired[Literal[\"asc\", \"desc\"]]",
    },
)


class PatchViewsIdBody(TypedDict):
    name: NotRequired[str]
    filter: NotRequired[PatchViewsIdBodyFilter]
    shared: NotRequired[bool]


class Notification(TypedDict):
    """A mention of you in a comment, or a thread that was assigned to you."""

    id: str
    kind: Literal["mention", "assignment"]
    thread_id: str
    subject: str | None
    comment_id: str | None
    by: Colleague
    created_at: str
    read: bool


class GetNotificationsQuery(TypedDict, total=False):
    limit: int
    cursor: str
    unread: bool


class PostNotificationsReadResponse(TypedDict):
    read: int


class PostNotificationsReadBody(TypedDict):
    ids: NotRequired[list[str]]


class SearchMatch(TypedDict):
    field: Literal["subject", "type", "note", "from", "to", "file", "id", "thread_id", "json", "comment", "author"]
    text: str
    marks: list[list[int]]


class SearchResultComment(TypedDict):
    """Only if a comment of your business matched; then `message` is the last one of the thread."""

    id: str
    author: Colleague
    text: str
    created_at: str


class SearchResult(TypedDict):
    message: EnvelopeSummary
    thread_id: str
    thread_subject: str | None
    matches: list[SearchMatch]
    comment: NotRequired[SearchResultComment]


class GetSearchQuery(TypedDict, total=False):
    q: str
    limit: int
    cursor: str


class Upload(TypedDict):
    upload_id: str
    upload_url: str
    method: Literal["PUT"]
    headers: dict[str, str]
    expires_at: str


class PartedUpload(TypedDict):
    upload_id: str
    filename: str
    content_type: str
    size_bytes: int
    part_size_bytes: int
    arrived_parts: list[int]
    complete: bool
    expires_at: str


class PostUploadsBody(TypedDict):
    filename: str
    content_type: str
    size_bytes: int
    parts: NotRequired[bool]


class WholeUpload(TypedDict):
    upload_id: str
    filename: str
    content_type: str
    size_bytes: int
    state: Literal["announced", "uploaded", "sealed"]
    complete: bool
    expires_at: str


class PartTicketsPartsItem(TypedDict):
    number: int
    size_bytes: int
    url: str
    headers: dict[str, str]


class PartTickets(TypedDict):
    parts: list[PartTicketsPartsItem]
    expires_at: str


class PostUploadsIdPartsBody(TypedDict):
    numbers: list[int]


class Download(TypedDict):
    download_url: str
    expires_at: str


class WebhookPause(TypedDict):
    reason: Literal["never_succeeded", "failing", "gone", "requested"]
    since: str


class WebhookLastPause(TypedDict):
    since: str
    until: str


class Webhook(TypedDict):
    id: str
    url: str
    active: bool
    pause: WebhookPause | None
    last_pause: WebhookLastPause | None
    target: str | None
    description: str | None
    types: list[str] | None
    header_names: list[str]
    max_per_second: int | None
    ordered: bool
    events: list[Literal["message.received", "message.sent", "schema.failed", "thread.updated", "webhook.paused", "file.hashed", "message.acknowledged", "message.expired"]]
    signatures: list[Literal["hmac", "ed25519"]]
    client_certificate: bool
    public_key: str | None
    failing_since: str | None
    created_at: str


class GetWebhooksQuery(TypedDict, total=False):
    limit: int
    cursor: str


class CreatedWebhookPause(TypedDict):
    reason: Literal["never_succeeded", "failing", "gone", "requested"]
    since: str


class CreatedWebhookLastPause(TypedDict):
    since: str
    until: str


class CreatedWebhook(TypedDict):
    id: str
    url: str
    active: bool
    pause: CreatedWebhookPause | None
    last_pause: CreatedWebhookLastPause | None
    target: str | None
    description: str | None
    types: list[str] | None
    header_names: list[str]
    max_per_second: int | None
    ordered: bool
    events: list[Literal["message.received", "message.sent", "schema.failed", "thread.updated", "webhook.paused", "file.hashed", "message.acknowledged", "message.expired"]]
    signatures: list[Literal["hmac", "ed25519"]]
    client_certificate: bool
    public_key: str | None
    failing_since: str | None
    created_at: str
    secret: str


class PostWebhooksBody(TypedDict):
    url: str
    target: NotRequired[str | None]
    description: NotRequired[str | None]
    active: NotRequired[bool]
    types: NotRequired[list[str] | None]
    headers: NotRequired[dict[str, str] | None]
    max_per_second: NotRequired[int | None]
    ordered: NotRequired[bool]
    events: NotRequired[list[Literal["message.received", "message.sent", "schema.failed", "thread.updated", "webhook.paused", "file.hashed", "message.acknowledged", "message.expired"]]]
    signatures: NotRequired[list[Literal["hmac", "ed25519"]]]
    client_certificate: NotRequired[bool]


class PatchWebhooksIdBody(TypedDict):
    url: NotRequired[str]
    target: NotRequired[str | None]
    description: NotRequired[str | None]
    active: NotRequired[bool]
    types: NotRequired[list[str] | None]
    headers: NotRequired[dict[str, str] | None]
    max_per_second: NotRequired[int | None]
    ordered: NotRequired[bool]
    events: NotRequired[list[Literal["message.received", "message.sent", "schema.failed", "thread.updated", "webhook.paused", "file.hashed", "message.acknowledged", "message.expired"]]]
    signatures: NotRequired[list[Literal["hmac", "ed25519"]]]
    client_certificate: NotRequired[bool]
    recover: NotRequired[bool]


class PostWebhooksIdRotateSecretResponse(TypedDict):
    secret: str
    public_key: str | None
    previous_valid_until: str | None


class PostWebhooksIdRotateSecretBody(TypedDict):
    grace_s: int


class Recovery(TypedDict):
    """Delivers messages of your inbox to a webhook again."""

    id: str
    webhook_id: str
    state: Literal["running", "paused", "completed", "cancelled"]
    only: Literal["failed", "missing", "undelivered", "all"]
    since: str
    until: str
    through: str
    total: int | None
    done: int
    queued: int
    retrying: int
    created_at: str
    ended_at: str | None


class PostWebhooksIdRecoverBody(TypedDict):
    since: str
    until: NotRequired[str]
    only: NotRequired[Literal["failed", "missing", "undelivered", "all"]]


class GetWebhooksIdRecoveriesQuery(TypedDict, total=False):
    limit: int
    cursor: str


class PatchWebhooksIdRecoveriesRecoveryIdBody(TypedDict):
    state: Literal["running", "paused", "cancelled"]


class PostWebhooksIdTestResponse(TypedDict):
    queued: Literal[True]
    job_id: str


class Delivery(TypedDict):
    """One attempt to deliver a message to a webhook."""

    id: str
    webhook_id: str
    message_id: str | None
    event_id: str
    event: Literal["message.received", "message.sent", "schema.failed", "thread.updated", "webhook.paused", "file.hashed", "message.acknowledged", "message.expired", "message.test"]
    replay: bool
    attempt: int
    status: Literal["pending", "delivered", "retrying", "dropped", "failed"]
    status_code: int | None
    response_ms: int | None
    error: str | None
    created_at: str
    attempted_at: str | None
    next_attempt_at: str | None


class GetWebhooksIdDeliveriesQuery(TypedDict, total=False):
    limit: int
    cursor: str


WebhookMessageMessage = TypedDict(
    "WebhookMessageMessage",
    {
        "type": "str | None",
        "subject": "str | None",
        "from": "Party",
        "to": "Party",
    },
)


class WebhookMessage(TypedDict):
    """The delivery of one message to one webhook."""

    webhook_id: str
    message_id: str | None
    event_id: str
    state: Literal["pending", "delivered", "retrying", "dropped", "failed"]
    next_attempt_at: str | None
    message: WebhookMessageMessage | None
    latest_attempt: Delivery


class GetWebhooksIdMessagesQuery(TypedDict, total=False):
    limit: int
    cursor: str
    state: Literal["pending", "delivered", "retrying", "dropped", "failed"]
    message: str
    since: str
    until: str


class WebhookDeliveryAttemptsItemRequestHeadersItem(TypedDict):
    name: str
    value: str | None


class WebhookDeliveryAttemptsItemRequest(TypedDict):
    url: str
    headers: list[WebhookDeliveryAttemptsItemRequestHeadersItem]
    body_as_shown: bool | None


class WebhookDeliveryAttemptsItemResponseHeadersItem(TypedDict):
    name: str
    value: str | None


class WebhookDeliveryAttemptsItemResponse(TypedDict):
    headers: list[WebhookDeliveryAttemptsItemResponseHeadersItem]
    body: str
    truncated: bool


class WebhookDeliveryAttemptsItem(TypedDict):
    id: str
    webhook_id: str
    message_id: str | None
    event_id: str
    event: Literal["message.received", "message.sent", "schema.failed", "thread.updated", "webhook.paused", "file.hashed", "message.acknowledged", "message.expired", "message.test"]
    replay: bool
    attempt: int
    status: Literal["pending", "delivered", "retrying", "dropped", "failed"]
    status_code: int | None
    response_ms: int | None
    error: str | None
    created_at: str
    attempted_at: str | None
    next_attempt_at: str | None
    request: WebhookDeliveryAttemptsItemRequest | None
    response: WebhookDeliveryAttemptsItemResponse | None


class WebhookDelivery(TypedDict):
    """The delivery of one message to one webhook, with its attempts."""

    webhook_id: str
    message_id: str | None
    event_id: str
    state: Literal["pending", "delivered", "retrying", "dropped", "failed"]
    next_attempt_at: str | None
    body: str | None
    attempts: list[WebhookDeliveryAttemptsItem]


class WebhookStatisticsTotals(TypedDict):
    delivered: int
    failed: int
    p50_ms: int | None
    p95_ms: int | None


class WebhookStatisticsBucketsItem(TypedDict):
    start: str
    delivered: int
    failed: int
    p50_ms: int | None
    p95_ms: int | None


class WebhookStatistics(TypedDict):
    webhook_id: str
    period: Literal["24h", "7d", "30d"]
    counted_since: str | None
    totals: WebhookStatisticsTotals
    buckets: list[WebhookStatisticsBucketsItem]


class GetWebhooksIdStatisticsQuery(TypedDict, total=False):
    period: Literal["24h", "7d", "30d"]


class ConsumerFilter(TypedDict):
    """A message must meet all of it; `{}` takes every message of your inbox."""

    types: NotRequired[list[str]]
    target: NotRequired[str]
    validation: NotRequired[Literal["passed", "failed", "not_applicable"]]


class ConsumerHoldersItem(TypedDict):
    holder: str
    leased: int
    lease_until: str


class Consumer(TypedDict):
    name: str
    filter: ConsumerFilter
    ordered: bool
    max_tries: int
    position: str
    lag: int
    leased: int
    parked: int
    oldest_unacknowledged_at: str | None
    holders: list[ConsumerHoldersItem]
    created_at: str


class GetConsumersQuery(TypedDict, total=False):
    limit: int
    cursor: str


class PutConsumersNameBodyFilter(TypedDict):
    """A message must meet all of it; `{}` takes every message of your inbox."""

    types: NotRequired[list[str]]
    target: NotRequired[str]
    validation: NotRequired[Literal["passed", "failed", "not_applicable"]]


class PutConsumersNameBody(TypedDict):
    filter: NotRequired[PutConsumersNameBodyFilter]
    start: NotRequired[str]
    ordered: NotRequired[bool]
    max_tries: NotRequired[int]


class PostConsumersNameLeaseBody(TypedDict):
    limit: NotRequired[int]
    lease_s: NotRequired[int]
    wait_s: NotRequired[int]
    holder: NotRequired[str]


class PostConsumersNameAckResponse(TypedDict):
    acknowledged: int
    unknown: list[str]


class PostConsumersNameAckBody(TypedDict):
    ids: NotRequired[list[str]]
    through: NotRequired[str]
    holder: NotRequired[str]


class PostConsumersNameExtendResponse(TypedDict):
    extended: int
    unknown: list[str]
    lease_until: str


class PostConsumersNameExtendBody(TypedDict):
    ids: list[str]
    lease_s: NotRequired[int]
    holder: NotRequired[str]


class PostConsumersNameReleaseResponse(TypedDict):
    released: int
    unknown: list[str]


class PostConsumersNameReleaseBody(TypedDict):
    ids: list[str]
    delay_s: NotRequired[int]
    reason: NotRequired[str]
    holder: NotRequired[str]


class PostConsumersNameSeekBody(TypedDict):
    position: str


class ParkedMessage(TypedDict):
    message_id: str
    tries: int
    reason: str | None
    parked_at: str


class GetConsumersNameParkedQuery(TypedDict, total=False):
    limit: int
    cursor: str


class PostConsumersNameUnparkResponse(TypedDict):
    unparked: int
    unknown: list[str]


class PostConsumersNameUnparkBody(TypedDict):
    ids: list[str]


class Block(TypedDict):
    id: str
    user_id: str | None
    email_domain: str | None
    handle: str | None
    created_at: str


class GetBlocksQuery(TypedDict, total=False):
    limit: int
    cursor: str


class PostBlocksBody(TypedDict):
    user_id: NotRequired[str | None]
    email_domain: NotRequired[str | None]
    handle: NotRequired[str | None]


class ContactActivityActorsItem(TypedDict):
    kind: str
    name: str
    email: str | None


class ContactActivity(TypedDict):
    first_seen_at: str | None
    last_seen_at: str | None
    last_direction: Literal["in", "out"] | None
    messages_in: int
    messages_out: int
    types: list[str]
    actors: list[ContactActivityActorsItem]


class Contact(TypedDict):
    """A party in your contacts."""

    id: str | None
    saved: bool
    archived: bool
    party: Party
    label: str
    notes: str
    can_initiate: bool
    blocked: bool
    activity: ContactActivity


class GetContactsQuery(TypedDict, total=False):
    limit: int
    cursor: str
    q: str
    sort: Literal["added", "activity", "name"]
    saved: bool
    archived: bool
    type: str


class PostContactsBody(TypedDict):
    handle: NotRequired[str]
    domain: NotRequired[str]
    email: NotRequired[str]
    label: NotRequired[str]
    notes: NotRequired[str]


class GetContactsByPartyQuery(TypedDict, total=False):
    handle: str
    domain: str
    email: str


class PatchContactsIdBody(TypedDict):
    label: NotRequired[str]
    notes: NotRequired[str]
    archived: NotRequired[bool]


class InboxSchema(TypedDict):
    schema: Any
    updated_at: str | None
    published: bool


class PutInboxSchemaBody(TypedDict):
    schema: Any


class PatchInboxSchemaBody(TypedDict):
    published: bool


class SchemaCheckSchemaErrorsItem(TypedDict):
    path: str
    message: str
    keyword: NotRequired[str]


class SchemaCheckSchema(TypedDict):
    valid: bool
    errors: list[SchemaCheckSchemaErrorsItem]


class SchemaCheck(TypedDict):
    schema: SchemaCheckSchema
    validation: Validation | None


class PostInboxSchemaCheckBody(TypedDict):
    schema: NotRequired[Any]
    json: NotRequired[Any]


class TypeSchemaHead(TypedDict):
    type: str
    updated_at: str
    published: bool
    bytes: int


class GetInboxSchemasResponse(TypedDict):
    data: list[TypeSchemaHead]


class TypeSchema(TypedDict):
    type: str
    schema: Any
    updated_at: str
    published: bool


class PutInboxSchemasTypeBody(TypedDict):
    schema: NotRequired[Any]
    schema_of: NotRequired[str]


class PatchInboxSchemasTypeBody(TypedDict):
    published: bool


class RecipientCheck(TypedDict):
    validation: Validation


class PostSchemaCheckBody(TypedDict):
    json: Any


class PostSchemaCheckQuery(TypedDict, total=False):
    to: str
    type: str


class DocumentTypeHead(TypedDict):
    type: str
    title: str
    description: str
    version: int


class GetDocumentTypesResponse(TypedDict):
    data: list[DocumentTypeHead]


class DocumentLayoutFactsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class DocumentLayoutLinesColumnsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class DocumentLayoutLinesDetailsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class DocumentLayoutLines(TypedDict):
    """An array of objects, a row each."""

    path: str
    columns: list[DocumentLayoutLinesColumnsItem]
    details: NotRequired[list[DocumentLayoutLinesDetailsItem]]


class DocumentLayoutTablesItemColumnsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class DocumentLayoutTablesItemDetailsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class DocumentLayoutTablesItem(TypedDict):
    """An array of objects, a row each."""

    path: str
    columns: list[DocumentLayoutTablesItemColumnsItem]
    details: NotRequired[list[DocumentLayoutTablesItemDetailsItem]]


class DocumentLayoutTotalsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class DocumentLayoutTermsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class DocumentLayout(TypedDict):
    """What a view or a form shows where. The `title` of a property in the schema is its label."""

    number: str
    currency: NotRequired[str]
    parties: list[str]
    facts: list[DocumentLayoutFactsItem]
    lines: NotRequired[DocumentLayoutLines]
    tables: list[DocumentLayoutTablesItem]
    totals: list[DocumentLayoutTotalsItem]
    terms: list[DocumentLayoutTermsItem]
    notes: list[str]


class DocumentType(TypedDict):
    type: str
    title: str
    description: str
    version: int
    schema: dict[str, Any]
    samples: list[dict[str, Any]]
    layout: DocumentLayout


class OwnDocumentType(TypedDict):
    type: str
    title: str
    description: str
    version: int
    schema: dict[str, Any]
    samples: list[dict[str, Any]]
    layout: DocumentLayout
    updated_at: str
    published: bool


class PutDocumentTypesTypeBodyLayoutFactsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class PutDocumentTypesTypeBodyLayoutLinesColumnsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class PutDocumentTypesTypeBodyLayoutLinesDetailsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class PutDocumentTypesTypeBodyLayoutLines(TypedDict):
    """An array of objects, a row each."""

    path: str
    columns: list[PutDocumentTypesTypeBodyLayoutLinesColumnsItem]
    details: NotRequired[list[PutDocumentTypesTypeBodyLayoutLinesDetailsItem]]


class PutDocumentTypesTypeBodyLayoutTablesItemColumnsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class PutDocumentTypesTypeBodyLayoutTablesItemDetailsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class PutDocumentTypesTypeBodyLayoutTablesItem(TypedDict):
    """An array of objects, a row each."""

    path: str
    columns: list[PutDocumentTypesTypeBodyLayoutTablesItemColumnsItem]
    details: NotRequired[list[PutDocumentTypesTypeBodyLayoutTablesItemDetailsItem]]


class PutDocumentTypesTypeBodyLayoutTotalsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class PutDocumentTypesTypeBodyLayoutTermsItem(TypedDict):
    path: str
    format: NotRequired[Literal["money", "quantity", "percent"]]


class PutDocumentTypesTypeBodyLayout(TypedDict):
    """A layout. Lists that are left out are empty, and `number` is `/number`."""

    number: NotRequired[str]
    currency: NotRequired[str]
    parties: NotRequired[list[str]]
    facts: NotRequired[list[PutDocumentTypesTypeBodyLayoutFactsItem]]
    lines: NotRequired[PutDocumentTypesTypeBodyLayoutLines]
    tables: NotRequired[list[PutDocumentTypesTypeBodyLayoutTablesItem]]
    totals: NotRequired[list[PutDocumentTypesTypeBodyLayoutTotalsItem]]
    terms: NotRequired[list[PutDocumentTypesTypeBodyLayoutTermsItem]]
    notes: NotRequired[list[str]]


class PutDocumentTypesTypeBody(TypedDict):
    title: str
    description: NotRequired[str]
    schema: dict[str, Any]
    layout: NotRequired[PutDocumentTypesTypeBodyLayout]
    published: NotRequired[bool]


class DocumentCheckErrorsItem(TypedDict):
    path: str
    message: str
    keyword: str
    allowed: NotRequired[list[Any]]
    allowed_count: NotRequired[int]
    pattern: NotRequired[str]


class DocumentCheckWarningsItem(TypedDict):
    path: str
    code: str
    message: str


class DocumentCheck(TypedDict):
    valid: bool
    errors: list[DocumentCheckErrorsItem]
    warnings: list[DocumentCheckWarningsItem]


class PostDocumentTypesTypeCheckBody(TypedDict):
    json: Any


class OwnDocumentTypeHead(TypedDict):
    type: str
    title: str
    description: str
    version: int
    updated_at: str
    published: bool


class GetBusinessDocumentTypesResponse(TypedDict):
    data: list[OwnDocumentTypeHead]


class Agent(TypedDict):
    id: str
    name: str
    description: str | None
    segment: str | None
    address: str
    created_at: str


class GetAgentsQuery(TypedDict, total=False):
    limit: int
    cursor: str


class PatchAgentsIdBody(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str | None]
    segment: NotRequired[str | None]


class GetHandlesItem(TypedDict):
    handle: str
    display_name: str


class GetHandlesQuery(TypedDict, total=False):
    limit: int
    cursor: str
    q: str


class PublicProfile(TypedDict):
    handle: str
    display_name: str
    verified_domains: list[str]
    accepting_drops: bool


class PublishedSchema(TypedDict):
    schema: Any
    updated_at: str | None


class GetPublicHandleSchemaQuery(TypedDict, total=False):
    type: str


class PublishedDocumentTypeHead(TypedDict):
    type: str
    title: str
    description: str
    version: int
    updated_at: str


class GetPublicHandleDocumentTypesResponse(TypedDict):
    data: list[PublishedDocumentTypeHead]


class PublishedDocumentType(TypedDict):
    type: str
    title: str
    description: str
    version: int
    schema: dict[str, Any]
    samples: list[dict[str, Any]]
    layout: DocumentLayout
    updated_at: str


class DropPage(TypedDict):
    welcome: str
    accent: str | None
    logo_path: str | None


class SignInOidc(TypedDict):
    name: str


class SignIn(TypedDict):
    email: bool
    google: bool
    microsoft: bool
    oidc: SignInOidc | None
    passkey: bool
    mails_at: str | None


class MeBusiness(TypedDict):
    handle: str
    display_name: str
    verified_domains: list[str]
    accepting_drops: bool
    created_at: str


class MeAgent(TypedDict):
    id: str
    name: str
    description: str | None


class MeKey(TypedDict):
    id: str
    scope: Literal["read", "read_write"]
    prefix: str
    created_at: str


class MeMember(TypedDict):
    """Only for people who have signed in."""

    id: str
    name: str
    role: Literal["owner", "admin", "member"]


class MeAddresses(TypedDict):
    handle: str
    segment: str | None
    email: str | None
    drop_page: str


class MeUsageMessages(TypedDict):
    used: int
    limit: int


class MeUsageUploads(TypedDict):
    used_bytes: int
    limit_bytes: int
    resets_at: str


class MeUsage(TypedDict):
    period: str
    messages: MeUsageMessages
    uploads: MeUsageUploads
    resets_at: str


class Me(TypedDict):
    business: MeBusiness
    agent: MeAgent | None
    key: MeKey | None
    member: NotRequired[MeMember]
    addresses: MeAddresses
    usage: MeUsage


class UsageMessages(TypedDict):
    used: int
    limit: int


class UsageUploads(TypedDict):
    used_bytes: int
    limit_bytes: int
    resets_at: str


class UsageNewAccount(TypedDict):
    used: int
    limit: int
    resets_at: str
    until: str


class UsageDaysItem(TypedDict):
    date: str
    sent: int
    received: int
    uploaded_bytes: int


class Usage(TypedDict):
    period: str
    messages: UsageMessages
    uploads: UsageUploads
    resets_at: str
    new_account: UsageNewAccount | None
    days: list[UsageDaysItem]


class GetUsageQuery(TypedDict, total=False):
    days: int


class Business(TypedDict):
    handle: str
    display_name: str
    verified_domains: list[str]
    accepting_drops: bool
    receipts: Literal["full", "minimal"]
    agent_card: bool
    created_at: str


class GetAccountInvitationsTokenResponse(TypedDict):
    business: Business
    invited_by: str
    email: str
    role: Literal["owner", "admin", "member"]
    expires_at: str


class PostDeviceLoginsResponse(TypedDict):
    device_code: str
    user_code: str
    verification_url: str
    expires_in_s: int
    interval_s: int


class PostDeviceLoginsBody(TypedDict):
    name: str


class PostDeviceLoginsKeyResponse(TypedDict):
    key: str
    key_id: str
    scope: Literal["read", "read_write"]
    handle: str
    display_name: str
    agent_id: str


class PostDeviceLoginsKeyBody(TypedDict):
    device_code: str


class GetAgentsIdSigningKeysQuery(TypedDict, total=False):
    limit: int
    cursor: str

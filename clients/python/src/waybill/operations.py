"""Every operation that a key can call, for `client.do()`, `client.items()` and `client.pages()`.

Generated from the OpenAPI document by `npm run python-types`; a test fails when it is out of date.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import types
from .call import Call, Paged, call, paged
from .message import Leased, Message, leased_messages, message_of, page_of_messages

if TYPE_CHECKING:
    from typing_extensions import Unpack


def post_messages_batch(body: types.BatchRequest) -> Call[types.PostMessagesBatchResponse]:
    """Send up to 100 messages."""
    return call("POST", "/v1/messages/batch", body=body)


def get_inbox(**query: Unpack[types.GetInboxQuery]) -> Paged[Message]:
    """List received messages, newest first."""
    return paged("GET", "/v1/inbox", page_of_messages, query=query)


def get_outbox(**query: Unpack[types.GetOutboxQuery]) -> Paged[Message]:
    """List sent messages, newest first."""
    return paged("GET", "/v1/outbox", page_of_messages, query=query)


def get_messages_id(id: str) -> Call[Message]:
    """Get a message."""
    return call("GET", "/v1/messages/{id}", message_of, path=[id])


def get_messages_id_signature(id: str) -> Call[types.Signature]:
    """Get the signature of a message."""
    return call("GET", "/v1/messages/{id}/signature", path=[id])


def post_messages_id_acknowledge(id: str, body: types.AcknowledgementRequest) -> Call[types.Acknowledgement]:
    """Acknowledge a received message."""
    return call("POST", "/v1/messages/{id}/acknowledge", path=[id], body=body)


def get_messages_id_acknowledgements(id: str) -> Call[types.GetMessagesIdAcknowledgementsResponse]:
    """List the acknowledgements of a message."""
    return call("GET", "/v1/messages/{id}/acknowledgements", path=[id])


def post_messages_id_redeliver(
    id: str,
    body: types.PostMessagesIdRedeliverBody,
) -> Call[types.PostMessagesIdRedeliverResponse]:
    """Deliver a message to a webhook again."""
    return call("POST", "/v1/messages/{id}/redeliver", path=[id], body=body)


def get_receipts_token(token: str) -> Call[types.AnyReceipt]:
    """Get a public receipt."""
    return call("GET", "/v1/receipts/{token}", path=[token])


def get_receipts_token_signature(token: str) -> Call[types.ReceiptSignature]:
    """Get the signature of a public receipt."""
    return call("GET", "/v1/receipts/{token}/signature", path=[token])


def get_threads(**query: Unpack[types.GetThreadsQuery]) -> Paged[types.Thread]:
    """List threads, latest activity first."""
    return paged("GET", "/v1/threads", query=query)


def get_threads_counts() -> Call[types.GetThreadsCountsResponse]:
    """Count threads."""
    return call("GET", "/v1/threads/counts")


def get_threads_labels() -> Call[types.GetThreadsLabelsResponse]:
    """List the labels of threads."""
    return call("GET", "/v1/threads/labels")


def get_threads_assignees() -> Call[types.GetThreadsAssigneesResponse]:
    """List those whom threads can be assigned to."""
    return call("GET", "/v1/threads/assignees")


def post_threads_batch(body: types.PostThreadsBatchBody) -> Call[types.PostThreadsBatchResponse]:
    """Finish, assign or label several threads."""
    return call("POST", "/v1/threads/batch", body=body, is_repeatable=True)


def get_threads_id(id: str, **query: Unpack[types.GetThreadsIdQuery]) -> Paged[Message]:
    """List the messages of a thread, oldest first."""
    return paged("GET", "/v1/threads/{id}", page_of_messages, path=[id], query=query)


def patch_threads_id(id: str, body: types.PatchThreadsIdBody) -> Call[types.ThreadState]:
    """Finish, assign or label a thread."""
    return call("PATCH", "/v1/threads/{id}", path=[id], body=body)


def post_threads_id_read(id: str, body: types.PostThreadsIdReadBody) -> Call[None]:
    """Mark a thread as read."""
    return call("POST", "/v1/threads/{id}/read", None, path=[id], body=body, is_repeatable=True)


def get_threads_id_comments(id: str, **query: Unpack[types.GetThreadsIdCommentsQuery]) -> Paged[types.Comment]:
    """List the comments on a thread, oldest first."""
    return paged("GET", "/v1/threads/{id}/comments", path=[id], query=query)


def post_threads_id_comments(id: str, body: types.PostThreadsIdCommentsBody) -> Call[types.Comment]:
    """Comment on a thread."""
    return call("POST", "/v1/threads/{id}/comments", path=[id], body=body)


def get_views() -> Call[types.GetViewsResponse]:
    """List saved views with their counts."""
    return call("GET", "/v1/views")


def post_views(body: types.PostViewsBody) -> Call[types.View]:
    """Save a view."""
    return call("POST", "/v1/views", body=body)


def patch_views_id(id: str, body: types.PatchViewsIdBody) -> Call[types.View]:
    """Change a saved view."""
    return call("PATCH", "/v1/views/{id}", path=[id], body=body)


def delete_views_id(id: str) -> Call[None]:
    """Delete a saved view."""
    return call("DELETE", "/v1/views/{id}", None, path=[id])


def get_notifications(**query: Unpack[types.GetNotificationsQuery]) -> Paged[types.Notification]:
    """List your notifications, newest first."""
    return paged("GET", "/v1/notifications", query=query)


def post_notifications_read(body: types.PostNotificationsReadBody) -> Call[types.PostNotificationsReadResponse]:
    """Mark notifications as read."""
    return call("POST", "/v1/notifications/read", body=body, is_repeatable=True)


def get_search(**query: Unpack[types.GetSearchQuery]) -> Paged[types.SearchResult]:
    """Search messages and comments, newest first."""
    return paged("GET", "/v1/search", query=query)


def post_uploads(body: types.PostUploadsBody) -> Call[types.Upload | types.PartedUpload]:
    """Announce a file to upload."""
    return call("POST", "/v1/uploads", body=body, is_repeatable=True)


def get_uploads_id(id: str) -> Call[types.WholeUpload | types.PartedUpload]:
    """Get the progress of an upload."""
    return call("GET", "/v1/uploads/{id}", path=[id])


def post_uploads_id_parts(id: str, body: types.PostUploadsIdPartsBody) -> Call[types.PartTickets]:
    """Get URLs for the upload parts of an upload."""
    return call("POST", "/v1/uploads/{id}/parts", path=[id], body=body, is_repeatable=True)


def post_uploads_id_complete(id: str) -> Call[types.PartedUpload]:
    """Complete an upload in upload parts."""
    return call("POST", "/v1/uploads/{id}/complete", path=[id], is_repeatable=True)


def get_files_id(id: str) -> Call[types.Download]:
    """Get a new download URL for a file."""
    return call("GET", "/v1/files/{id}", path=[id])


def get_webhooks(**query: Unpack[types.GetWebhooksQuery]) -> Paged[types.Webhook]:
    """List the webhooks of your business."""
    return paged("GET", "/v1/webhooks", query=query)


def post_webhooks(body: types.PostWebhooksBody) -> Call[types.CreatedWebhook]:
    """Create a webhook."""
    return call("POST", "/v1/webhooks", body=body)


def get_webhooks_id(id: str) -> Call[types.Webhook]:
    """Get a webhook."""
    return call("GET", "/v1/webhooks/{id}", path=[id])


def patch_webhooks_id(id: str, body: types.PatchWebhooksIdBody) -> Call[types.Webhook]:
    """Change, pause or resume a webhook."""
    return call("PATCH", "/v1/webhooks/{id}", path=[id], body=body)


def delete_webhooks_id(id: str) -> Call[None]:
    """Delete a webhook."""
    return call("DELETE", "/v1/webhooks/{id}", None, path=[id])


def post_webhooks_id_rotate_secret(
    id: str,
    body: types.PostWebhooksIdRotateSecretBody,
) -> Call[types.PostWebhooksIdRotateSecretResponse]:
    """Replace the secret of a webhook."""
    return call("POST", "/v1/webhooks/{id}/rotate-secret", path=[id], body=body)


def post_webhooks_id_recover(id: str, body: types.PostWebhooksIdRecoverBody) -> Call[types.Recovery]:
    """Deliver the messages of a time to a webhook again."""
    return call("POST", "/v1/webhooks/{id}/recover", path=[id], body=body)


def get_webhooks_id_recoveries(id: str, **query: Unpack[types.GetWebhooksIdRecoveriesQuery]) -> Paged[types.Recovery]:
    """List the recoveries of a webhook, newest first."""
    return paged("GET", "/v1/webhooks/{id}/recoveries", path=[id], query=query)


def get_webhooks_id_recoveries_recovery_id(id: str, recovery_id: str) -> Call[types.Recovery]:
    """Get a recovery and its progress."""
    return call("GET", "/v1/webhooks/{id}/recoveries/{recovery_id}", path=[id, recovery_id])


def patch_webhooks_id_recoveries_recovery_id(
    id: str,
    recovery_id: str,
    body: types.PatchWebhooksIdRecoveriesRecoveryIdBody,
) -> Call[types.Recovery]:
    """Pause, resume or cancel a recovery."""
    return call("PATCH", "/v1/webhooks/{id}/recoveries/{recovery_id}", path=[id, recovery_id], body=body)


def post_webhooks_id_test(id: str) -> Call[types.PostWebhooksIdTestResponse]:
    """Queue a message.test delivery."""
    return call("POST", "/v1/webhooks/{id}/test", path=[id])


def get_webhooks_id_deliveries(id: str, **query: Unpack[types.GetWebhooksIdDeliveriesQuery]) -> Paged[types.Delivery]:
    """List the delivery log of a webhook, newest first."""
    return paged("GET", "/v1/webhooks/{id}/deliveries", path=[id], query=query)


def get_webhooks_id_messages(id: str, **query: Unpack[types.GetWebhooksIdMessagesQuery]) -> Paged[types.WebhookMessage]:
    """List the deliveries of a webhook by message."""
    return paged("GET", "/v1/webhooks/{id}/messages", path=[id], query=query)


def get_webhooks_id_messages_message_id(id: str, message_id: str) -> Call[types.WebhookDelivery]:
    """Get the delivery of a message to a webhook."""
    return call("GET", "/v1/webhooks/{id}/messages/{message_id}", path=[id, message_id])


def get_webhooks_id_statistics(
    id: str,
    **query: Unpack[types.GetWebhooksIdStatisticsQuery]
) -> Call[types.WebhookStatistics]:
    """Get the outcomes of a webhook’s attempts over time."""
    return call("GET", "/v1/webhooks/{id}/statistics", path=[id], query=query)


def get_consumers(**query: Unpack[types.GetConsumersQuery]) -> Paged[types.Consumer]:
    """List the consumers of your business."""
    return paged("GET", "/v1/consumers", query=query)


def get_consumers_name(name: str) -> Call[types.Consumer]:
    """Get a consumer: its lag, its holders and its oldest message."""
    return call("GET", "/v1/consumers/{name}", path=[name])


def put_consumers_name(name: str, body: types.PutConsumersNameBody) -> Call[types.Consumer]:
    """Create or change a consumer."""
    return call("PUT", "/v1/consumers/{name}", path=[name], body=body)


def delete_consumers_name(name: str) -> Call[None]:
    """Delete a consumer."""
    return call("DELETE", "/v1/consumers/{name}", None, path=[name])


def post_consumers_name_lease(name: str, body: types.PostConsumersNameLeaseBody) -> Call[list[Leased]]:
    """Lease messages."""
    return call("POST", "/v1/consumers/{name}/lease", leased_messages, path=[name], body=body, is_repeatable=True)


def post_consumers_name_ack(
    name: str,
    body: types.PostConsumersNameAckBody,
) -> Call[types.PostConsumersNameAckResponse]:
    """Acknowledge messages."""
    return call("POST", "/v1/consumers/{name}/ack", path=[name], body=body, is_repeatable=True)


def post_consumers_name_extend(
    name: str,
    body: types.PostConsumersNameExtendBody,
) -> Call[types.PostConsumersNameExtendResponse]:
    """Extend leases."""
    return call("POST", "/v1/consumers/{name}/extend", path=[name], body=body, is_repeatable=True)


def post_consumers_name_release(
    name: str,
    body: types.PostConsumersNameReleaseBody,
) -> Call[types.PostConsumersNameReleaseResponse]:
    """Release messages."""
    return call("POST", "/v1/consumers/{name}/release", path=[name], body=body, is_repeatable=True)


def post_consumers_name_seek(name: str, body: types.PostConsumersNameSeekBody) -> Call[types.Consumer]:
    """Move a consumer to another place in your inbox."""
    return call("POST", "/v1/consumers/{name}/seek", path=[name], body=body, is_repeatable=True)


def get_consumers_name_parked(
    name: str,
    **query: Unpack[types.GetConsumersNameParkedQuery]
) -> Paged[types.ParkedMessage]:
    """List the parked messages of a consumer."""
    return paged("GET", "/v1/consumers/{name}/parked", path=[name], query=query)


def post_consumers_name_unpark(
    name: str,
    body: types.PostConsumersNameUnparkBody,
) -> Call[types.PostConsumersNameUnparkResponse]:
    """Put parked messages back."""
    return call("POST", "/v1/consumers/{name}/unpark", path=[name], body=body, is_repeatable=True)


def get_blocks(**query: Unpack[types.GetBlocksQuery]) -> Paged[types.Block]:
    """List your blocks."""
    return paged("GET", "/v1/blocks", query=query)


def post_blocks(body: types.PostBlocksBody) -> Call[types.Block]:
    """Block a sender."""
    return call("POST", "/v1/blocks", body=body, is_repeatable=True)


def delete_blocks_id(id: str) -> Call[None]:
    """Remove a block."""
    return call("DELETE", "/v1/blocks/{id}", None, path=[id])


def get_contacts(**query: Unpack[types.GetContactsQuery]) -> Paged[types.Contact]:
    """List your contacts."""
    return paged("GET", "/v1/contacts", query=query)


def post_contacts(body: types.PostContactsBody) -> Call[types.Contact]:
    """Save a party."""
    return call("POST", "/v1/contacts", body=body, is_repeatable=True)


def get_contacts_by_party(**query: Unpack[types.GetContactsByPartyQuery]) -> Call[types.Contact]:
    """Get a contact by its party."""
    return call("GET", "/v1/contacts/by-party", query=query)


def get_contacts_id(id: str) -> Call[types.Contact]:
    """Get a saved contact."""
    return call("GET", "/v1/contacts/{id}", path=[id])


def patch_contacts_id(id: str, body: types.PatchContactsIdBody) -> Call[types.Contact]:
    """Change a contact’s label or notes, or archive it."""
    return call("PATCH", "/v1/contacts/{id}", path=[id], body=body)


def get_inbox_schema() -> Call[types.InboxSchema]:
    """Get the JSON Schema of your inbox."""
    return call("GET", "/v1/inbox/schema")


def put_inbox_schema(body: types.PutInboxSchemaBody) -> Call[types.InboxSchema]:
    """Set or clear the JSON Schema of your inbox."""
    return call("PUT", "/v1/inbox/schema", body=body)


def patch_inbox_schema(body: types.PatchInboxSchemaBody) -> Call[types.InboxSchema]:
    """Publish the JSON Schema of your inbox, or no longer."""
    return call("PATCH", "/v1/inbox/schema", body=body)


def post_inbox_schema_check(body: types.PostInboxSchemaCheckBody) -> Call[types.SchemaCheck]:
    """Try out a JSON Schema for your inbox, and JSON against it."""
    return call("POST", "/v1/inbox/schema/check", body=body, is_repeatable=True)


def get_inbox_schemas() -> Call[types.GetInboxSchemasResponse]:
    """List the types of messages with a schema of their own."""
    return call("GET", "/v1/inbox/schemas")


def get_inbox_schemas_type(type: str) -> Call[types.TypeSchema]:
    """Get the JSON Schema of a type of messages."""
    return call("GET", "/v1/inbox/schemas/{type}", path=[type])


def put_inbox_schemas_type(type: str, body: types.PutInboxSchemasTypeBody) -> Call[types.TypeSchema]:
    """Set the JSON Schema of a type of messages."""
    return call("PUT", "/v1/inbox/schemas/{type}", path=[type], body=body)


def patch_inbox_schemas_type(type: str, body: types.PatchInboxSchemasTypeBody) -> Call[types.TypeSchema]:
    """Publish the JSON Schema of a type of messages, or no longer."""
    return call("PATCH", "/v1/inbox/schemas/{type}", path=[type], body=body)


def delete_inbox_schemas_type(type: str) -> Call[None]:
    """Delete the JSON Schema of a type of messages."""
    return call("DELETE", "/v1/inbox/schemas/{type}", None, path=[type])


def post_schema_check(
    body: types.PostSchemaCheckBody,
    **query: Unpack[types.PostSchemaCheckQuery]
) -> Call[types.RecipientCheck]:
    """Check JSON against the schema of a recipient before you send it."""
    return call("POST", "/v1/schema-check", query=query, body=body, is_repeatable=True)


def get_document_types() -> Call[types.GetDocumentTypesResponse]:
    """List the types of business documents."""
    return call("GET", "/v1/document-types")


def get_document_types_type(type: str) -> Call[types.DocumentType]:
    """Get a type of business documents."""
    return call("GET", "/v1/document-types/{type}", path=[type])


def put_document_types_type(type: str, body: types.PutDocumentTypesTypeBody) -> Call[types.OwnDocumentType]:
    """Add or replace a document type of your own."""
    return call("PUT", "/v1/document-types/{type}", path=[type], body=body)


def delete_document_types_type(type: str) -> Call[None]:
    """Delete a document type of your own."""
    return call("DELETE", "/v1/document-types/{type}", None, path=[type])


def post_document_types_type_check(type: str, body: types.PostDocumentTypesTypeCheckBody) -> Call[types.DocumentCheck]:
    """Check a document before you send it."""
    return call("POST", "/v1/document-types/{type}/check", path=[type], body=body)


def get_business_document_types() -> Call[types.GetBusinessDocumentTypesResponse]:
    """List your own document types."""
    return call("GET", "/v1/business/document-types")


def get_business_document_types_type(type: str) -> Call[types.OwnDocumentType]:
    """Get one of your own document types."""
    return call("GET", "/v1/business/document-types/{type}", path=[type])


def get_agents(**query: Unpack[types.GetAgentsQuery]) -> Paged[types.Agent]:
    """List the agents of your business."""
    return paged("GET", "/v1/agents", query=query)


def get_agents_id(id: str) -> Call[types.Agent]:
    """Get an agent."""
    return call("GET", "/v1/agents/{id}", path=[id])


def patch_agents_id(id: str, body: types.PatchAgentsIdBody) -> Call[types.Agent]:
    """Change an agent’s name, description or segment."""
    return call("PATCH", "/v1/agents/{id}", path=[id], body=body)


def get_handles(**query: Unpack[types.GetHandlesQuery]) -> Paged[types.GetHandlesItem]:
    """Search claimed handles by prefix."""
    return paged("GET", "/v1/handles", query=query)


def get_public_handle(handle: str) -> Call[types.PublicProfile]:
    """Get the public profile of a handle."""
    return call("GET", "/v1/public/{handle}", path=[handle])


def get_public_handle_schema(
    handle: str,
    **query: Unpack[types.GetPublicHandleSchemaQuery]
) -> Call[types.PublishedSchema]:
    """Get the JSON Schema that a business publishes."""
    return call("GET", "/v1/public/{handle}/schema", path=[handle], query=query)


def get_public_handle_document_types(handle: str) -> Call[types.GetPublicHandleDocumentTypesResponse]:
    """List the document types that a business publishes."""
    return call("GET", "/v1/public/{handle}/document-types", path=[handle])


def get_public_handle_document_types_type(handle: str, type: str) -> Call[types.PublishedDocumentType]:
    """Get a document type that a business publishes."""
    return call("GET", "/v1/public/{handle}/document-types/{type}", path=[handle, type])


def get_public_handle_drop_page(handle: str) -> Call[types.DropPage]:
    """Get what the drop page of a business shows."""
    return call("GET", "/v1/public/{handle}/drop-page", path=[handle])


def get_sign_in() -> Call[types.SignIn]:
    """List the ways to sign in."""
    return call("GET", "/v1/sign-in")


def get_me() -> Call[types.Me]:
    """Get your business, your role in it, its addresses and usage."""
    return call("GET", "/v1/me")


def get_usage(**query: Unpack[types.GetUsageQuery]) -> Call[types.Usage]:
    """Get the usage of your business day by day, and its limits."""
    return call("GET", "/v1/usage", query=query)


def get_account_invitations_token(token: str) -> Call[types.GetAccountInvitationsTokenResponse]:
    """Get an invitation."""
    return call("GET", "/v1/account/invitations/{token}", path=[token])


def post_device_logins(body: types.PostDeviceLoginsBody) -> Call[types.PostDeviceLoginsResponse]:
    """Begin the login of a program."""
    return call("POST", "/v1/device-logins", body=body)


def post_device_logins_key(body: types.PostDeviceLoginsKeyBody) -> Call[types.PostDeviceLoginsKeyResponse]:
    """Get the key of a program’s login."""
    return call("POST", "/v1/device-logins/key", body=body)


def get_agents_id_signing_keys(id: str, **query: Unpack[types.GetAgentsIdSigningKeysQuery]) -> Paged[types.SigningKey]:
    """List the signing keys of an agent."""
    return paged("GET", "/v1/agents/{id}/signing-keys", path=[id], query=query)

// Made from the OpenAPI document by `npm run api-types`; a test keeps it in step.

export type Error = { error: { code: 'unauthorized' | 'forbidden' | 'not_found' | 'unknown_recipient' | 'party_required' | 'reply_unaddressable' | 'reply_recipient_mismatch' | 'sender_blocked' | 'rate_limited' | 'quota_exceeded' | 'validation_error' | 'invalid_json' | 'json_too_large' | 'file_too_large' | 'upload_not_found' | 'upload_incomplete' | 'invalid_webhook_url' | 'invalid_schema' | 'method_not_allowed' | 'unsupported_media_type' | 'conflict' | 'internal_error' | 'unavailable'; message: string; request_id: string; details?: ({ path: string; message: string; limit?: string })[] } };

export type PublicProfile = { handle: string; display_name: string; verified_domains: (string)[]; accepting_drops: boolean };

export type Party = { kind: 'handle'; handle: string; display_name: string } | { kind: 'domain'; domain: string; display_name: string } | { kind: 'mailbox'; email: string; display_name: string };

export type Actor = { kind: 'agent' | 'person' | 'mailbox'; id: string; name: string; email: string | null; verified: boolean; provider: 'api_key' | 'email' | 'google' | 'microsoft' | 'oidc' | 'smtp' };

export type ReceiptFile = { id: string; filename: string; content_type: string; size_bytes: number; sha256: string | null };

export type Validation = { status: 'passed' | 'failed' | 'not_applicable'; errors: ({ path: string; message: string; keyword: string })[] };

export type Receipt = { id: string; thread_id: string; in_reply_to: string | null; from: { party: Party; actor: Actor }; to: { party: Party; segment?: string | null }; type: string | null; subject: string | null; note: string | null; json_sha256: string | null; files: (ReceiptFile)[]; validation: Validation; received_at: string; content_hash: string; receipt_url: string; idempotency_key?: string };

export type MinimalReceipt = { detail: 'minimal'; id: string; from: { party: Party }; to: { party: Party }; json_sha256: string | null; files: ({ sha256: string | null })[]; received_at: string; content_hash: string; receipt_url: string };

export type AnyReceipt = Receipt | MinimalReceipt;

export type Me = { business: { handle: string; display_name: string; verified_domains: (string)[]; accepting_drops: boolean; created_at: string }; agent: { id: string; name: string; description: string | null } | null; key: { id: string; scope: 'read' | 'read_write'; prefix: string; created_at: string } | null; member?: { id: string; name: string; role: 'owner' | 'admin' | 'member' }; addresses: { handle: string; segment: string | null; email: string; drop_page: string }; usage: { period: string; messages: { used: number; limit: number }; uploads: { used_bytes: number; limit_bytes: number; resets_at: string }; resets_at: string } };

export type Usage = { period: string; messages: { used: number; limit: number }; uploads: { used_bytes: number; limit_bytes: number; resets_at: string }; resets_at: string; new_account: { used: number; limit: number; resets_at: string; until: string } | null; days: ({ date: string; sent: number; received: number; uploaded_bytes: number })[] };

export type File = { id: string; filename: string; content_type: string; size_bytes: number; sha256: string | null; download_url: string };

export type Envelope = { id: string; thread_id: string; in_reply_to: string | null; from: { party: Party; actor: Actor }; to: { party: Party; segment?: string | null }; type: string | null; subject: string | null; note: string | null; json: unknown; json_sha256: string | null; files: (File)[]; validation: Validation; received_at: string; content_hash: string; receipt_url: string; idempotency_key?: string };

export type EnvelopeSummary = { id: string; thread_id: string; in_reply_to: string | null; from: { party: Party; actor: Actor }; to: { party: Party; segment?: string | null }; type: string | null; subject: string | null; note: string | null; json_bytes: number | null; json_sha256: string | null; files: (File)[]; validation: Validation; received_at: string; content_hash: string; receipt_url: string; idempotency_key?: string };

export type Draft = { to?: string | null; in_reply_to?: string | null; type?: string | null; subject?: string | null; note?: string | null; json?: unknown; files?: (string)[] };

export type DraftForm = { to?: string; in_reply_to?: string; type?: string; subject?: string; note?: string; json?: string; files?: (string)[]; file?: (string)[] };

export type Upload = { upload_id: string; upload_url: string; method: 'PUT'; headers: Record<string, string>; expires_at: string };

export type PartedUpload = { upload_id: string; filename: string; content_type: string; size_bytes: number; part_size_bytes: number; arrived_parts: (number)[]; complete: boolean; expires_at: string };

export type WholeUpload = { upload_id: string; filename: string; content_type: string; size_bytes: number; state: 'announced' | 'uploaded' | 'sealed'; complete: boolean; expires_at: string };

export type PartTickets = { parts: ({ number: number; size_bytes: number; url: string; headers: Record<string, string> })[]; expires_at: string };

export type Download = { download_url: string; expires_at: string };

export type Webhook = { id: string; url: string; active: boolean; pause: { reason: 'never_succeeded' | 'requested'; since: string } | null; target: string | null; created_at: string };

export type CreatedWebhook = { id: string; url: string; active: boolean; pause: { reason: 'never_succeeded' | 'requested'; since: string } | null; target: string | null; created_at: string; secret: string };

export type Delivery = { id: string; webhook_id: string; message_id: string; event: 'message.received' | 'message.test'; attempt: number; status: 'pending' | 'delivered' | 'retrying' | 'dropped' | 'failed'; status_code: number | null; response_ms: number | null; error: string | null; created_at: string; attempted_at: string | null; next_attempt_at: string | null };

export type WebhookStatistics = { webhook_id: string; period: '24h' | '7d' | '30d'; counted_since: string | null; totals: { delivered: number; failed: number; p50_ms: number | null; p95_ms: number | null }; buckets: ({ start: string; delivered: number; failed: number; p50_ms: number | null; p95_ms: number | null })[] };

export type Block = { id: string; user_id: string | null; email_domain: string | null; handle: string | null; created_at: string };

export type Contact = { id: string | null; saved: boolean; archived: boolean; party: Party; label: string; notes: string; can_initiate: boolean; blocked: boolean; activity: { first_seen_at: string | null; last_seen_at: string | null; last_direction: 'in' | 'out' | null; messages_in: number; messages_out: number; types: (string)[]; actors: ({ kind: string; name: string; email: string | null })[] } };

export type InboxSchema = { schema: Record<string, unknown> | boolean | null; updated_at: string | null };

export type SchemaCheck = { schema: { valid: boolean; errors: ({ path: string; message: string; keyword?: string })[] }; validation: Validation | null };

export type Agent = { id: string; name: string; description: string | null; segment: string | null; address: string; created_at: string };

export type SignIn = { email: boolean; google: boolean; microsoft: boolean; oidc: { name: string } | null; passkey: boolean; mails_at: string | null };

export type Account = { id: string; email: string | null; name: string; provider: 'email' | 'google' | 'microsoft' | 'oidc'; proves: 'mailbox' | 'domain' | 'nothing'; created_at: string; businesses: ({ handle: string; display_name: string; role: 'owner' | 'admin' | 'member' })[] };

export type Session = { id: string; provider: 'email' | 'google' | 'microsoft' | 'oidc'; address: string; user_agent: string; current: boolean; created_at: string; last_seen_at: string; expires_at: string };

export type Door = { to: PublicProfile; sender: Party | null; allowed: boolean; reason: { code: 'unauthorized' | 'forbidden' | 'not_found' | 'unknown_recipient' | 'party_required' | 'reply_unaddressable' | 'reply_recipient_mismatch' | 'sender_blocked' | 'rate_limited' | 'quota_exceeded' | 'validation_error' | 'invalid_json' | 'json_too_large' | 'file_too_large' | 'upload_not_found' | 'upload_incomplete' | 'invalid_webhook_url' | 'invalid_schema' | 'method_not_allowed' | 'unsupported_media_type' | 'conflict' | 'internal_error' | 'unavailable'; message: string } | null };

export type Business = { handle: string; display_name: string; verified_domains: (string)[]; accepting_drops: boolean; receipts: 'full' | 'minimal'; created_at: string };

export type Availability = { handle: string; available: boolean; reason: 'taken' | 'reserved' | 'invalid' | null };

export type Member = { id: string; name: string; email: string | null; role: 'owner' | 'admin' | 'member'; segment: string | null; address: string; joined_at: string };

export type Invitation = { id: string; email: string; role: 'owner' | 'admin' | 'member'; segment: string | null; created_at: string; expires_at: string };

export type Key = { id: string; scope: 'read' | 'read_write'; prefix: string; created_at: string; last_used_at: string | null; revoked_at: string | null };

export type Domain = { domain: string; state: 'pending' | 'verified' | 'failing'; record: { type: 'TXT'; name: string; value: string } | null; senders: 'everybody' | 'members'; verified_at: string | null; checked_at: string | null; missing_since: string | null };

/** By method and path: what a request takes, and what it gives. */
export interface Operations {
  'GET /v1/public/{handle}': { path: { handle: string }; answer: PublicProfile };
  'GET /v1/receipts/{token}': { path: { token: string }; answer: AnyReceipt };
  'GET /v1/me': { answer: Me };
  'GET /v1/usage': { query: { days?: number }; answer: Usage };
  'GET /v1/inbox': { query: { limit?: number; cursor?: string; include?: 'summary'; since?: string; until?: string; from?: string; type?: string; validation?: 'passed' | 'failed' | 'not_applicable'; thread?: string; to?: string }; answer: { data: (Envelope | EnvelopeSummary)[]; next_cursor: string | null } };
  'GET /v1/outbox': { query: { limit?: number; cursor?: string; include?: 'summary'; since?: string; until?: string; from?: string; type?: string; validation?: 'passed' | 'failed' | 'not_applicable'; thread?: string }; answer: { data: (Envelope | EnvelopeSummary)[]; next_cursor: string | null } };
  'POST /v1/messages': { body: Draft; answer: Envelope };
  'GET /v1/messages/{id}': { path: { id: string }; answer: Envelope };
  'GET /v1/threads/{id}': { path: { id: string }; query: { limit?: number; cursor?: string; include?: 'summary' }; answer: { thread_id: string; data: (Envelope | EnvelopeSummary)[]; next_cursor: string | null; hidden: number } };
  'GET /v1/events': { answer: string };
  'POST /v1/uploads': { body: { filename: string; content_type: string; size_bytes: number; parts?: boolean }; answer: Upload | PartedUpload };
  'GET /v1/uploads/{id}': { path: { id: string }; answer: WholeUpload | PartedUpload };
  'POST /v1/uploads/{id}/parts': { path: { id: string }; body: { numbers: (number)[] }; answer: PartTickets };
  'POST /v1/uploads/{id}/complete': { path: { id: string }; answer: PartedUpload };
  'GET /v1/files/{id}': { path: { id: string }; answer: Download };
  'GET /v1/webhooks': { query: { limit?: number; cursor?: string }; answer: { data: (Webhook)[]; next_cursor: string | null } };
  'POST /v1/webhooks': { body: { url: string; target?: string | null }; answer: CreatedWebhook };
  'GET /v1/webhooks/{id}': { path: { id: string }; answer: Webhook };
  'PATCH /v1/webhooks/{id}': { path: { id: string }; body: { active: boolean }; answer: Webhook };
  'DELETE /v1/webhooks/{id}': { path: { id: string }; answer: undefined };
  'POST /v1/webhooks/{id}/test': { path: { id: string }; answer: { queued: true; job_id: string } };
  'GET /v1/webhooks/{id}/deliveries': { path: { id: string }; query: { limit?: number; cursor?: string }; answer: { data: (Delivery)[]; next_cursor: string | null } };
  'GET /v1/webhooks/{id}/statistics': { path: { id: string }; query: { period?: '24h' | '7d' | '30d' }; answer: WebhookStatistics };
  'GET /v1/blocks': { query: { limit?: number; cursor?: string }; answer: { data: (Block)[]; next_cursor: string | null } };
  'POST /v1/blocks': { body: { user_id?: string | null; email_domain?: string | null; handle?: string | null }; answer: Block };
  'DELETE /v1/blocks/{id}': { path: { id: string }; answer: undefined };
  'GET /v1/contacts': { query: { limit?: number; cursor?: string; q?: string; saved?: boolean; archived?: boolean; type?: string }; answer: { data: (Contact)[]; next_cursor: string | null } };
  'POST /v1/contacts': { body: { handle?: string; domain?: string; email?: string; label?: string; notes?: string }; answer: Contact };
  'GET /v1/contacts/by-party': { query: { handle?: string; domain?: string; email?: string }; answer: Contact };
  'GET /v1/contacts/{id}': { path: { id: string }; answer: Contact };
  'PATCH /v1/contacts/{id}': { path: { id: string }; body: { label?: string; notes?: string; archived?: boolean }; answer: Contact };
  'GET /v1/inbox/schema': { answer: InboxSchema };
  'PUT /v1/inbox/schema': { body: { schema: Record<string, unknown> | boolean | null }; answer: InboxSchema };
  'POST /v1/inbox/schema/check': { body: { schema?: Record<string, unknown> | boolean | null; json?: unknown }; answer: SchemaCheck };
  'GET /v1/agents': { query: { limit?: number; cursor?: string }; answer: { data: (Agent)[]; next_cursor: string | null } };
  'POST /v1/agents': { body: { name: string; description?: string | null; segment?: string | null }; answer: Agent };
  'GET /v1/agents/{id}': { path: { id: string }; answer: Agent };
  'PATCH /v1/agents/{id}': { path: { id: string }; body: { name?: string; description?: string | null; segment?: string | null }; answer: Agent };
  'GET /v1/handles': { query: { limit?: number; cursor?: string; q: string }; answer: { data: ({ handle: string; display_name: string })[]; next_cursor: string | null } };
  'GET /v1/sign-in': { answer: SignIn };
  'GET /v1/account': { answer: Account };
  'PATCH /v1/account': { body: { name: string }; answer: Account };
  'GET /v1/account/sessions': { query: { limit?: number; cursor?: string }; answer: { data: (Session)[]; next_cursor: string | null } };
  'DELETE /v1/account/sessions': { answer: undefined };
  'DELETE /v1/account/sessions/{id}': { path: { id: string }; answer: undefined };
  'POST /v1/drops': { body: Draft; answer: Envelope };
  'GET /v1/drops/{handle}': { path: { handle: string }; answer: Door };
  'POST /v1/drops/uploads': { body: { filename: string; content_type: string; size_bytes: number; parts?: boolean }; answer: Upload | PartedUpload };
  'GET /v1/drops/uploads/{id}': { path: { id: string }; answer: WholeUpload | PartedUpload };
  'POST /v1/drops/uploads/{id}/parts': { path: { id: string }; body: { numbers: (number)[] }; answer: PartTickets };
  'POST /v1/drops/uploads/{id}/complete': { path: { id: string }; answer: PartedUpload };
  'POST /v1/businesses': { body: { handle: string; display_name: string }; answer: Business };
  'GET /v1/businesses/availability': { query: { handle: string }; answer: Availability };
  'GET /v1/business': { answer: Business };
  'PATCH /v1/business': { body: { display_name?: string; accepting_drops?: boolean; receipts?: 'full' | 'minimal' }; answer: Business };
  'GET /v1/members': { query: { limit?: number; cursor?: string }; answer: { data: (Member)[]; next_cursor: string | null } };
  'PATCH /v1/members/{id}': { path: { id: string }; body: { role?: 'owner' | 'admin' | 'member'; segment?: string | null }; answer: Member };
  'DELETE /v1/members/{id}': { path: { id: string }; answer: undefined };
  'GET /v1/invitations': { answer: { data: (Invitation)[] } };
  'POST /v1/invitations': { body: { email: string; role: 'owner' | 'admin' | 'member'; segment?: string | null }; answer: Invitation };
  'DELETE /v1/invitations/{id}': { path: { id: string }; answer: undefined };
  'GET /v1/account/invitations/{token}': { path: { token: string }; answer: { business: Business; email: string; role: 'owner' | 'admin' | 'member'; expires_at: string } };
  'POST /v1/account/invitations/{token}': { path: { token: string }; answer: Business };
  'GET /v1/agents/{id}/keys': { path: { id: string }; query: { limit?: number; cursor?: string }; answer: { data: (Key)[]; next_cursor: string | null } };
  'POST /v1/agents/{id}/keys': { path: { id: string }; body: { scope: 'read' | 'read_write' }; answer: { id: string; scope: 'read' | 'read_write'; secret: string } };
  'DELETE /v1/keys/{id}': { path: { id: string }; answer: undefined };
  'GET /v1/domains': { answer: { data: (Domain)[] } };
  'POST /v1/domains': { body: { domain: string }; answer: Domain };
  'POST /v1/domains/{domain}/check': { path: { domain: string }; answer: Domain };
  'PATCH /v1/domains/{domain}': { path: { domain: string }; body: { senders: 'everybody' | 'members' }; answer: Domain };
  'DELETE /v1/domains/{domain}': { path: { domain: string }; answer: undefined };
  'PUT /objects/{id}': { path: { id: string }; answer: string };
  'GET /objects/{id}': { path: { id: string }; answer: string };
}

/** Fixed limits of the API. Those an operator can change are settings (config.ts). */
export const MB = 1_048_576;
export const GB = 1024 * MB;

export const TYPE_MAX_CHARS = 80;
export const SUBJECT_MAX_CHARS = 200;
export const NOTE_MAX_CHARS = 10_000;
export const JSON_MAX_BYTES = 1 * MB;
export const JSON_MAX_LEVELS = 1_000;
export const FILES_PER_MESSAGE_MAX = 100;
export const INLINE_FILE_MAX_BYTES = 25 * MB;
export const UPLOAD_MAX_BYTES = 5 * GB;
/** Of an upload in parts; the last one is shorter. A bucket wants at least 5 MB. */
export const UPLOAD_PART_BYTES = 16 * MB;
export const PARTS_PER_REQUEST_MAX = 100;
/** Larger files are hashed after delivery. */
export const HASHED_AT_DELIVERY_MAX_BYTES = 100 * MB;
export const FILENAME_MAX_CHARS = 4_096;
export const CONTENT_TYPE_MAX_CHARS = 255;
export const UPLOAD_PUT_WITHIN_S = 3_600;
export const UPLOAD_USABLE_FOR_S = 24 * 3_600;
export const DOWNLOAD_URL_LIFETIME_S = 3_600;

export const SCHEMA_MAX_BYTES = 256 * 1024;
/** Of one business, and one process. */
export const SCHEMA_CHECKS_AT_ONCE_MAX = 8;

/** Room for what stands beside the largest `json`: a schema to check it by, or a note, which takes 120,000 bytes if every character is escaped. */
export const BODY_MAX_BYTES = JSON_MAX_BYTES + SCHEMA_MAX_BYTES + 16 * 1024;
/** Bodies of endpoints that carry no payload. */
export const SMALL_BODY_MAX_BYTES = 64 * 1024;

export const PAGE_DEFAULT_ITEMS = 50;
export const PAGE_MAX_ITEMS = 200;
/** How many MB of large responses a process holds for clients that have not read them yet. Setting: `RESPONSE_BYTES_MAX_MB`. */
export const RESPONSE_BYTES_MAX_MB = 256;

/** Of those who listen for new messages; each process counts for itself. */
export const EVENT_STREAMS_MAX = 1_000;
export const EVENT_STREAMS_PER_BUSINESS_MAX = 20;
export const EVENT_STREAM_MAX_MS = 300_000;

export const USAGE_DEFAULT_DAYS = 30;
export const USAGE_MAX_DAYS = 90;

export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
export const IDEMPOTENCY_WINDOW_HOURS = 24;

export const HANDLE_MIN_CHARS = 2;
export const HANDLE_MAX_CHARS = 32;
/** Of what is judged to be a handle or not: more than anybody types into a form. */
export const HANDLE_QUESTION_MAX_CHARS = 1_000;
export const SEGMENT_MAX_CHARS = 31;
export const DISPLAY_NAME_MAX_CHARS = 100;
export const AGENT_NAME_MAX_CHARS = 100;
export const AGENT_DESCRIPTION_MAX_CHARS = 500;

export const WEBHOOK_URL_MAX_CHARS = 2_048;
/** Webhooks that one business can have. */
export const WEBHOOKS_PER_BUSINESS_MAX = 50;
/** Webhooks of one business whose URLs share a registrable domain (or, where there is none, an address or host). */
export const WEBHOOKS_PER_HOST_MAX = 10;
/** Failed attempts after which a webhook is paused whose endpoint has never responded with a 2xx status. */
export const WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX = 50;
/** For look-up, connection, TLS, request and answer together. */
export const WEBHOOK_PATIENCE_MS = 10_000;
export const WEBHOOK_RETRIES_MAX = 5;
export const CONTACT_LABEL_MAX_CHARS = 200;
export const CONTACT_NOTES_MAX_CHARS = 10_000;
/** How many types and actors a contact shows. */
export const ACTIVITY_ITEMS_MAX = 100;

export const BUSINESSES_PER_PERSON_MAX = 20;
/** Invitations that are open count too. */
export const MEMBERS_PER_BUSINESS_MAX = 1_000;
export const INVITATION_LIFETIME_DAYS = 7;
/** Anybody can claim a business, so these bound whom the service can be made to flood with mail. */
export const INVITATIONS_PER_BUSINESS_AND_DAY_MAX = 200;
export const INVITATION_AGAIN_AFTER_S = 600;
export const DOMAINS_PER_BUSINESS_MAX = 100;
export const PERSON_NAME_MAX_CHARS = 100;
export const PASSKEY_NAME_MAX_CHARS = 100;
export const USER_AGENT_KEPT_CHARS = 300;
export const SESSION_LIFETIME_S = 30 * 24 * 3_600;
/** How old a session may get before its end is put off again. */
export const SESSION_RENEWED_AFTER_S = 24 * 3_600;
/** For how long after signing in a passkey may be added. */
export const SESSION_FRESH_FOR_S = 24 * 3_600;

export const CODE_DIGITS = 6;
export const CODE_LIFETIME_S = 600;
export const CODE_TRIES_MAX = 5;
export const CODE_WINDOW_S = 600;
export const CODES_PER_MAILBOX_AND_WINDOW_MAX = 5;
/** Along with the tries of each, this bounds what guessing can reach in a day: a hundred of a million. */
export const CODES_PER_MAILBOX_AND_DAY_MAX = 20;
export const CODES_PER_ADDRESS_AND_WINDOW_MAX = 50;
export const CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX = 100;

/** Mails of a service that has no mail server: the newest, and none that is older. */
export const KEPT_MAILS_MAX = 200;
export const KEPT_MAIL_DAYS = 7;

/** Of what a path names. The longest is a link to unsubscribe, with a mailbox of 318 bytes and a seal of 32 in base64. */
export const PATH_PARAMETER_MAX_CHARS = 512;

/** Inbound mail. */
export const MAIL_RECIPIENTS_MAX = 50;
export const MAIL_HEADER_MAX_BYTES = 128 * 1024;
export const MAIL_HEADER_FIELDS_MAX = 500;
export const MAIL_SIGNATURES_MAX = 10;
/** Each server on the way adds a Received header, so more than this is a mail that goes in circles. */
export const MAIL_HOPS_MAX = 30;
/** As much of a mail's texts is kept in memory; what is longer becomes a file. */
export const MAIL_TEXT_MAX_BYTES = 1 * MB;
export const MAIL_SENDER_NAME_MAX_CHARS = 100;

export const SMTP_CONNECTIONS_MAX = 200;
export const SMTP_CONNECTIONS_PER_ADDRESS_MAX = 20;
export const SMTP_MAILS_PER_CONNECTION_MAX = 100;
/** Of senders and recipients. */
export const SMTP_REFUSALS_PER_CONNECTION_MAX = 100;
export const SMTP_IDLE_MAX_MS = 60_000;
export const SMTP_CONNECTION_MAX_MS = 30 * 60_000;

/** `<handle>+<segment>` has to fit the local part of a mail address. */
const MAIL_LOCAL_PART_MAX_OCTETS = 64;
if (HANDLE_MAX_CHARS + 1 + SEGMENT_MAX_CHARS > MAIL_LOCAL_PART_MAX_OCTETS) throw new Error('handle and segment outgrow a mail address');
/** A bucket numbers them no further. */
const PARTS_MAX = 10_000;
if (UPLOAD_MAX_BYTES > PARTS_MAX * UPLOAD_PART_BYTES) throw new Error('the largest file has more parts than a bucket takes');
if (BODY_MAX_BYTES < JSON_MAX_BYTES + NOTE_MAX_CHARS * 12) throw new Error('a body has no room for json and note');

/** Fixed limits of the API. Those an operator can change are settings (config.ts). */
export const MB = 1_048_576;
export const GB = 1024 * MB;

export const TYPE_MAX_CHARS = 80;
export const SUBJECT_MAX_CHARS = 200;
/** Of `to`, in any of its forms; the longest is a mail address. */
export const ADDRESS_MAX_CHARS = 320;
export const NOTE_MAX_CHARS = 10_000;
export const JSON_MAX_BYTES = 1 * MB;
export const JSON_MAX_LEVELS = 1_000;
/** A `json` of more bytes is put into canonical form and hashed by a worker thread, so that other requests do not wait for it. */
export const HASHED_BY_WORKER_FROM_BYTES = 32 * 1024;
/** Large `json`s of one business that wait in one process to be hashed; sends past that get 503. */
export const HASHES_WAITING_PER_BUSINESS_MAX = 100;
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

/** How many MB of the disk with the data folder are kept free of files, so that messages still go. Setting: `FREE_DISK_RESERVE_MB`. */
export const FREE_DISK_RESERVE_MB = 1024;
/** How long a bucket may take to respond to a request of the service, in milliseconds. */
export const BUCKET_PATIENCE_MS = 8_000;
/** How many bytes a bucket has to take a second at least, when the service sends it a file. */
export const BUCKET_BYTES_PER_S_MIN = 1 * MB;
/** How many bytes a bucket has to copy or join a second at least, when an upload is completed or sent. */
export const BUCKET_COPY_BYTES_PER_S_MIN = 20 * MB;

/** How long a message with an upload waits for another request that prepares the same upload, in milliseconds. */
export const SEALING_PATIENCE_MS = 10_000;
/** How many bytes of files the businesses of one owner may upload together in a day. Setting: `DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES`. */
export const DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES = 100 * GB;

export const SCHEMA_MAX_BYTES = 256 * 1024;
/** How many schemas a business may have set or checked at once; each process counts for itself. */
export const SCHEMA_CHECKS_AT_ONCE_MAX = 8;
/** How many schemas a signed-in person may have set or checked at once over all businesses; each process counts for itself. */
export const SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX = 16;

/** Room for what stands beside the largest `json`: a schema to check it by, or a note, which takes 120,000 bytes if every character is escaped. */
export const BODY_MAX_BYTES = JSON_MAX_BYTES + SCHEMA_MAX_BYTES + 16 * 1024;
/** Bytes of one field beside `json` and `schema` in a body, unless it is a text, which has a limit of its own in characters. */
export const FIELD_MAX_BYTES = 64 * 1024;
/** Bodies of endpoints that carry no payload. */
export const SMALL_BODY_MAX_BYTES = 64 * 1024;

export const PAGE_DEFAULT_ITEMS = 50;
export const PAGE_MAX_ITEMS = 200;
/** How many times the rate and the burst of one key all keys and people of a business have together. Setting of the rate: `RATE_LIMIT_PER_BUSINESS_PER_MINUTE`. */
export const BUSINESS_RATE_FACTOR = 2;
/** How many keys wait to be looked up for one network that has used up its rate of requests without a valid key. */
export const UNKNOWN_KEY_LOOKUPS_WAITING_MAX = 20;
/** About how many bytes a page of inbox, outbox or thread may have. A page ends early with `next_cursor`, but never before its first message. */
export const PAGE_MAX_BYTES = 4 * MB;
/** How many MB of large responses a process holds for clients that have not read them yet. Setting: `RESPONSE_BYTES_MAX_MB`. */
export const RESPONSE_BYTES_MAX_MB = 256;
/** The share of one processor, in percent, that a process spends on compressing responses; past it, responses go out uncompressed. Setting: `COMPRESSION_PERCENT`. */
export const COMPRESSION_PERCENT = 25;
/** How many requests of one connection may wait for their responses (HTTP pipelining). */
export const REQUESTS_PER_CONNECTION_MAX = 16;
/** The bytes a second that a client must at least send of a form or file, or read of a large response, on average over `SLOW_CLIENT_S`. Setting: `MIN_BYTES_PER_S`. */
export const MIN_BYTES_PER_S = 1_024;
/** For how many seconds a client may be slower than `MIN_BYTES_PER_S` before its connection is closed. Setting: `SLOW_CLIENT_S`. */
export const SLOW_CLIENT_S = 180;
/** How many downloads of one file can be under way at a time, in each process. */
export const DOWNLOADS_PER_FILE_MAX = 64;
/** How many downloads to one address can be under way at a time, in each process. Setting: `DOWNLOADS_PER_ADDRESS_MAX`. */
export const DOWNLOADS_PER_ADDRESS_MAX = 256;

/** Of those who listen for new messages; each process counts for itself. */
export const EVENT_STREAMS_MAX = 1_000;
export const EVENT_STREAMS_PER_BUSINESS_MAX = 20;
/** How many event streams a signed-in person may have open over all businesses; each process counts for itself. */
export const EVENT_STREAMS_PER_PERSON_MAX = 40;
/** How many event streams keys may have open from one network, which is an IPv4 address or the first 64 bits of an IPv6 address; each process counts for itself. */
export const EVENT_STREAMS_PER_NETWORK_MAX = 200;
/** The last places for event streams go only to businesses, people and networks that have few open. */
export const EVENT_STREAMS_KEPT_BACK = 200;
/** Up to so many open event streams are few. */
export const EVENT_STREAMS_FEW = 5;
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
/** How many agents one business can have. */
export const AGENTS_PER_BUSINESS_MAX = 200;
/** How many keys one agent can have that are not revoked. */
export const KEYS_PER_AGENT_MAX = 20;
/** How many revoked keys of one agent are remembered; a new key makes the service forget the oldest beyond. */
export const REVOKED_KEYS_PER_AGENT_MAX = 180;
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
/** How many senders, domains and businesses one business can block. */
export const BLOCKS_PER_BUSINESS_MAX = 10_000;
/** How many contacts one business can save. Parties that it only exchanged messages with do not count. */
export const SAVED_CONTACTS_PER_BUSINESS_MAX = 100_000;
export const CONTACT_LABEL_MAX_CHARS = 200;
export const CONTACT_NOTES_MAX_CHARS = 10_000;
/** How many types and actors a contact shows. */
export const ACTIVITY_ITEMS_MAX = 100;

/** How many changes of keys, agents, profile, domains, blocks, schema and webhooks of one business wait for each other in a process. */
export const CHANGES_WAITING_PER_BUSINESS_MAX = 100;

/** How many businesses one person can own at a time and still claim another. */
export const BUSINESSES_PER_PERSON_MAX = 20;
/** How many businesses one person can claim in 30 days, whoever owns them afterwards. */
export const CLAIMS_PER_PERSON_AND_MONTH_MAX = 20;
/** How many members one business can have. Open invitations count too. */
export const MEMBERS_PER_BUSINESS_MAX = 500;
/** How many invitations of one business can be open at a time. */
export const INVITATIONS_OPEN_PER_BUSINESS_MAX = 200;
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
/** Codes of one mailbox that one network can ask for in 10 minutes, or one browser in which the mailbox was signed in before. */
export const CODES_PER_MAILBOX_AND_WINDOW_MAX = 5;
/** Codes of one mailbox that one network can ask for in a day, or one browser in which the mailbox was signed in before. */
export const CODES_PER_MAILBOX_AND_DAY_MAX = 20;
/** Codes of one mailbox that can be asked for in a day from all networks together in which the mailbox was never signed in. With the tries of each code it bounds guessing: 200 tries in a million. */
export const CODES_PER_MAILBOX_FROM_STRANGERS_AND_DAY_MAX = 40;
/** Days for which a browser, and a network, in which a mailbox was signed in counts as known to be the mailbox's. */
export const DEVICE_KNOWN_DAYS = 180;
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
/** Lines of a mail's header, those that continue a field included. */
export const MAIL_HEADER_LINES_MAX = 4_000;
/** Octets of a line of a mail without its line break, as RFC 5321 has it. */
export const MAIL_LINE_MAX_BYTES = 998;
/** Lines of a whole mail. A mail of 50 MB in base64 has 700,000. */
export const MAIL_LINES_MAX = 1_000_000;
/** DKIM signatures of a mail that are checked: the first of those that could prove its sender. */
export const MAIL_SIGNATURES_MAX = 3;
/** For how many days a mail whose only proof is its DKIM signature is taken, by its Date. */
export const MAIL_SIGNED_DAYS_MAX = 3;
/** How many hours ahead of the service's clock the Date of such a mail may be. */
export const MAIL_SIGNED_AHEAD_HOURS_MAX = 1;
/** For how many hours the same mail is no second message: longer than a signed one is taken. */
export const MAIL_REPEAT_WINDOW_HOURS = 96;
/** Each server on the way adds a Received header, so more than this is a mail that goes in circles. */
export const MAIL_HOPS_MAX = 30;
/** As much of a mail's texts is kept in memory; what is longer becomes a file. */
export const MAIL_TEXT_MAX_BYTES = 1 * MB;
export const MAIL_SENDER_NAME_MAX_CHARS = 100;

export const SMTP_CONNECTIONS_MAX = 200;
export const SMTP_CONNECTIONS_PER_ADDRESS_MAX = 20;
/** SMTP connections of one network at a time: 256 addresses of IPv4 (/24), or what one subscriber has of IPv6 (/48). */
export const SMTP_CONNECTIONS_PER_NETWORK_MAX = 40;
/** Of all SMTP connections, how many are kept free for networks that have none. */
export const SMTP_CONNECTIONS_RESERVED = 50;
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
if (MAIL_REPEAT_WINDOW_HOURS <= MAIL_SIGNED_DAYS_MAX * 24 + MAIL_SIGNED_AHEAD_HOURS_MAX)
  throw new Error('a signed mail outlives its record');
if (BODY_MAX_BYTES < JSON_MAX_BYTES + NOTE_MAX_CHARS * 12) throw new Error('a body has no room for json and note');

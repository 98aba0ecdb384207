/**
 * Every limit. `npm run limits` generates docs/limits.md from this file, so each comment must be clear on its own.
 * Where the comment names a setting, the constant is the default of that setting.
 */
export const MB = 1_048_576;
export const GB = 1024 * MB;

// # Messages

/** Characters of `type`. */
export const TYPE_MAX_CHARS = 80;
/** Characters of `subject`. */
export const SUBJECT_MAX_CHARS = 200;
/** Characters of `note`. */
export const NOTE_MAX_CHARS = 10_000;
/** Characters of `to`, in any of its forms; the longest is a mail address. */
export const ADDRESS_MAX_CHARS = 320;
/** Characters of an id, a time or a position in a request. The longest have about half as many. */
export const PLACE_MAX_CHARS = 64;
/** Bytes of `json`. */
export const JSON_MAX_BYTES = 1 * MB;
/** Levels to which `json` is nested. */
export const JSON_MAX_LEVELS = 1_000;
/** Size from which a worker thread hashes `json`, so that other requests do not wait. */
export const HASHED_BY_WORKER_FROM_BYTES = 32 * 1024;
/** Large `json` values of one business that wait to be hashed, in each process; further sends get 503. */
export const HASHES_WAITING_PER_BUSINESS_MAX = 100;
/** Characters of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
/** Hours for which a retry with the same `Idempotency-Key` returns the original message. */
export const IDEMPOTENCY_WINDOW_HOURS = 24;
/** Entries of a ledger that one page looks at to find those that meet its filters, unless an index finds them. Then the page ends early with `next_cursor`. */
export const ENTRIES_SCANNED_MAX = 5_000;
/** Messages of a batch request. Each counts as a request. */
export const BATCH_REQUEST_MAX_MESSAGES = 100;
/** Bytes of a batch request. */
export const BATCH_REQUEST_MAX_BYTES = 4 * MB;
/** Messages of a batch request that are prepared at the same time: whose recipients are looked up, `json` checked and hashed, uploads sealed. */
export const BATCH_REQUEST_PREPARED_AT_ONCE = 8;
/** Messages that one business can send per month. 0 means no limit. Setting: `MONTHLY_MESSAGE_LIMIT`. */
export const MONTHLY_MESSAGE_LIMIT = 100_000;
/** Days for which a claimed business without a verified domain counts as new. Setting: `NEW_ACCOUNT_DAYS`. */
export const NEW_ACCOUNT_DAYS = 7;
/** Messages that a new business, or an organisation without a handle, can send per day. 0 means no limit. Setting: `NEW_ACCOUNT_DAILY_MESSAGE_LIMIT`. */
export const NEW_ACCOUNT_DAILY_MESSAGE_LIMIT = 100;

// # Files

/** Files of one message, uploads and files in the request together. */
export const FILES_PER_MESSAGE_MAX = 100;
/** Bytes of a file in a request. */
export const INLINE_FILE_MAX_BYTES = 25 * MB;
/** Bytes of an upload. */
export const UPLOAD_MAX_BYTES = 5 * GB;
/** Bytes of each upload part; the last one has the rest. Buckets require at least 5 MB. */
export const UPLOAD_PART_BYTES = 16 * MB;
/** Upload parts whose URLs one request can get. */
export const PARTS_PER_REQUEST_MAX = 100;
/** Size above which a file is hashed after delivery. */
export const HASHED_AT_DELIVERY_MAX_BYTES = 100 * MB;
/** Characters of a file name. */
export const FILENAME_MAX_CHARS = 4_096;
/** Characters of a content type. */
export const CONTENT_TYPE_MAX_CHARS = 255;
/** Time after POST /v1/uploads within which the PUT must begin. */
export const UPLOAD_PUT_WITHIN_S = 3_600;
/** Time after POST /v1/uploads for which an upload can be sent. */
export const UPLOAD_USABLE_FOR_S = 24 * 3_600;
/** Time for which a download URL is valid. */
export const DOWNLOAD_URL_LIFETIME_S = 3_600;
/** Bytes of files that one business can upload per day. 0 means no limit. Setting: `DAILY_UPLOAD_LIMIT_BYTES`. */
export const DAILY_UPLOAD_LIMIT_BYTES = 50 * GB;
/** Bytes of files that all businesses of one owner can upload per day. 0 means no limit. Setting: `DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES`. */
export const DAILY_UPLOAD_LIMIT_PER_PERSON_BYTES = 100 * GB;
/** Space that files leave free on the disk of the data folder, so that messages without files still go. Setting: `FREE_DISK_RESERVE_MB`. */
export const FREE_DISK_RESERVE_MB = 1024;
/** Time that a message with an upload waits for another request that seals the same upload. */
export const SEALING_PATIENCE_MS = 30_000;
/** Time within which a bucket must respond to a request of the service. */
export const BUCKET_PATIENCE_MS = 8_000;
/** Time between checks of a bucket that fails; while it does, new uploads get 503. */
export const BUCKET_CHECK_EVERY_MS = 5_000;
/** Bytes per second that a bucket must at least accept when the service sends it a file. */
export const BUCKET_BYTES_PER_S_MIN = 1 * MB;
/** Bytes per second that a bucket must at least copy or join when an upload is completed or sent. */
export const BUCKET_COPY_BYTES_PER_S_MIN = 20 * MB;
/** Downloads of one file at a time, in each process. */
export const DOWNLOADS_PER_FILE_MAX = 64;
/** Downloads to one address, or IPv6 /56, at a time, in each process. Setting: `DOWNLOADS_PER_ADDRESS_MAX`. */
export const DOWNLOADS_PER_ADDRESS_MAX = 256;

// # Requests and responses

/** Units per minute with one key, or by one person. A request costs one unit, and a large one what its parts add up to. 0 means no limit. Setting: `RATE_LIMIT_PER_MINUTE`. */
export const RATE_LIMIT_PER_MINUTE = 6_000;
/** Units in a burst with one key, or by one person. Setting: `RATE_LIMIT_BURST`. */
export const RATE_LIMIT_BURST = 1_000;
/** Bytes that one unit pays for: those of the body of a request, and of its response before compression. Bytes of files do not count: they have quotas. */
export const UNIT_BYTES = 64 * 1024;
/** Rows that one unit pays for, where a request makes the database look at rows, or count them, and does not return them. */
export const UNIT_ROWS = 1_000;
/** Processor time of worker threads that one unit pays for: they hash large `json`, and check schemas. */
export const UNIT_WORKER_MS = 1;
/** Threads of a batch that one unit pays for. */
export const UNIT_THREADS = 50;
/** Processor time that each unit pays for at most, of the thread that serves requests. A test compares it with the largest request of every endpoint. */
export const UNIT_LOOP_MS = 8;
/** Processor time of that thread that a request may use in addition, whatever it is charged. */
export const REQUEST_LOOP_MS = 12;
/** Processor time that a message costs its sender at most for a check by the schema of its recipient. */
export const CHECK_CHARGED_MAX_MS = 50;
/** Time after which a rate has made up for what large requests cost beyond what was left. They are charged no more than that. */
export const RATE_DEBT_MAX_S = 50;
/** Factor by which the rate and the burst of a whole business exceed those of one key. The rate has its own setting. Setting: `RATE_LIMIT_PER_BUSINESS_PER_MINUTE`. */
export const BUSINESS_RATE_FACTOR = 2;
/** Units per minute from one network at endpoints that need no key; and, counted separately, requests without a valid key from one network. 0 means no limit. Setting: `PUBLIC_RATE_LIMIT_PER_MINUTE`. */
export const PUBLIC_RATE_LIMIT_PER_MINUTE = 600;
/** How many times the limit of one network all networks of an IPv6 /48 have together. A network is an IPv4 address, or a /56 of IPv6; this applies to every limit of a network or address. */
export const IPV6_SITE_FACTOR = 4;
/** Key lookups that can wait for one network that has used up its rate of requests without a valid key. */
export const UNKNOWN_KEY_LOOKUPS_WAITING_MAX = 20;
/** Bytes of an inbox schema. */
export const SCHEMA_MAX_BYTES = 256 * 1024;
/** Bytes of a body with `json`, a schema to check it against, or a note in which every character is escaped. */
export const BODY_MAX_BYTES = JSON_MAX_BYTES + SCHEMA_MAX_BYTES + 16 * 1024;
/** Bytes of one field of a body other than `json` and `schema`. Text fields have their own limits in characters. */
export const FIELD_MAX_BYTES = 64 * 1024;
/** Bytes of a body without a payload. */
export const SMALL_BODY_MAX_BYTES = 64 * 1024;
/** Characters of a path parameter. The longest is that of an unsubscribe link: a mailbox of 318 bytes and a signature of 32, in base64. */
export const PATH_PARAMETER_MAX_CHARS = 512;
/** Items of a page by default. */
export const PAGE_DEFAULT_ITEMS = 50;
/** Items of a page with `limit`. */
export const PAGE_MAX_ITEMS = 200;
/** Approximate bytes of a page of inbox, outbox or thread. A longer page ends early with `next_cursor`, but has at least one message. */
export const PAGE_MAX_BYTES = 4 * MB;
/** Large responses that a process holds for clients that have not read them yet. Setting: `RESPONSE_BYTES_MAX_MB`. */
export const RESPONSE_BYTES_MAX_MB = 256;
/** Percentage of one processor that a process uses to compress responses; beyond it, responses go out uncompressed. Setting: `COMPRESSION_PERCENT`. */
export const COMPRESSION_PERCENT = 25;
/** Requests of one connection that can wait for their responses (HTTP pipelining). */
export const REQUESTS_PER_CONNECTION_MAX = 16;
/** Bytes per second that a client must at least send of a form or file, or read of a large response, on average. Setting: `MIN_BYTES_PER_S`. */
export const MIN_BYTES_PER_S = 1_024;
/** Time over which the rate of a client is averaged before the service closes its connection. Setting: `SLOW_CLIENT_S`. */
export const SLOW_CLIENT_S = 180;
/** Changes of keys, agents, profile, domains, blocks, schema and webhooks of one business that wait for each other, in each process. */
export const CHANGES_WAITING_PER_BUSINESS_MAX = 100;
/** Time for which a start, or a command, tries again to reach the database. 0 means once. Setting: `DATABASE_START_S`. */
export const DATABASE_START_S = 60;
/** Time within which the database must respond to a statement of a worker that brings an index up to date. */
export const SWEEP_STATEMENT_MAX_MS = 60_000;
/** Time within which the database must respond to a statement of a chore, such as one that removes what has expired. */
export const CHORE_STATEMENT_MAX_MS = 600_000;

// # Event streams, usage

/** Open event streams, in each process. */
export const EVENT_STREAMS_MAX = 1_000;
/** Open event streams of one business. */
export const EVENT_STREAMS_PER_BUSINESS_MAX = 20;
/** Open event streams of a signed-in person across all businesses. */
export const EVENT_STREAMS_PER_PERSON_MAX = 40;
/** Open event streams with keys from one network. */
export const EVENT_STREAMS_PER_NETWORK_MAX = 200;
/** Event streams that are reserved for businesses, people and networks with few open ones. */
export const EVENT_STREAMS_KEPT_BACK = 200;
/** Open event streams up to which a client gets one of the reserved ones. */
export const EVENT_STREAMS_FEW = 5;
/** Time after which an event stream ends and the client reconnects. */
export const EVENT_STREAM_MAX_MS = 300_000;
/** Days of usage by default. */
export const USAGE_DEFAULT_DAYS = 30;
/** Days of usage with `days`. */
export const USAGE_MAX_DAYS = 90;

// # Signatures and acknowledgements

/** Valid signing keys of one agent. */
export const SIGNING_KEYS_PER_AGENT_MAX = 10;
/** Signing keys of one agent, revoked ones included: proofs need them for ever. */
export const SIGNING_KEYS_EVER_PER_AGENT_MAX = 200;
/** Characters of a public signing key; its 32 bytes take 44 in base64. */
export const SIGNING_KEY_MAX_CHARS = 64;
/** Time by which `created` of a signature can differ from the clock of the service. */
export const SIGNATURE_TOLERANCE_S = 300;
/** Minimum characters of the nonce of a signature. */
export const SIGNATURE_NONCE_MIN_CHARS = 16;
/** Characters of the nonce of a signature. */
export const SIGNATURE_NONCE_MAX_CHARS = 64;
/** Milliseconds for which the first requests that a new key signs wait until the log has the key. */
export const SIGNING_KEY_LOG_PATIENCE_MS = 5_000;
/** Bytes of the body of a signed message around `json`, which are stored with the signature. */
export const SIGNED_REST_MAX_BYTES = 144 * 1024;
/** Statements that the log can have about one message: hand-overs, non-delivery and acknowledgements. */
export const CHAIN_MAX_LINKS = 1_000;
/** Seconds after which a message can expire, at the earliest. */
export const EXPIRES_IN_MIN_S = 60;
/** Seconds after which a message can expire, at the latest: 30 days. */
export const EXPIRES_IN_MAX_S = 30 * 86_400;
/** Messages of a shard that a chore looks up at a time because their time to be taken is over. */
export const EXPIRIES_AT_ONCE = 20;
/** Seconds after that time for which it waits: that somebody took the message in time may not be recorded yet. */
export const EXPIRY_LOOKED_AT_AFTER_S = 30;
/** Characters of the reason of an acknowledgement. */
export const ACKNOWLEDGEMENT_REASON_MAX_CHARS = 1_000;

// # Businesses, agents, keys, contacts

/** Minimum characters of a handle. */
export const HANDLE_MIN_CHARS = 2;
/** Maximum characters of a handle. */
export const HANDLE_MAX_CHARS = 32;
/** Characters of a text that the availability check of handles accepts. */
export const HANDLE_QUESTION_MAX_CHARS = 1_000;
/** Characters of a segment. */
export const SEGMENT_MAX_CHARS = 31;
/** Characters of a display name. */
export const DISPLAY_NAME_MAX_CHARS = 100;
/** Businesses that one person can own; with as many, the person can claim no further one. */
export const BUSINESSES_PER_PERSON_MAX = 20;
/** Businesses that one person can claim in 30 days, even if they change owners. */
export const CLAIMS_PER_PERSON_AND_MONTH_MAX = 20;
/** Members of one business, open invitations included. */
export const MEMBERS_PER_BUSINESS_MAX = 500;
/** Open invitations of one business. */
export const INVITATIONS_OPEN_PER_BUSINESS_MAX = 200;
/** Invitations that one business can send per day. Anybody can claim a business, so this limits abuse of the service for spam. */
export const INVITATIONS_PER_BUSINESS_AND_DAY_MAX = 200;
/** Time after which the same mailbox can be invited again. */
export const INVITATION_AGAIN_AFTER_S = 600;
/** Days after which an invitation ends. */
export const INVITATION_LIFETIME_DAYS = 7;
/** Mail domains of one business. */
export const DOMAINS_PER_BUSINESS_MAX = 100;
/** Logins of programs (`waybill login`) that wait for a person, of all businesses. */
export const DEVICE_LOGINS_WAITING_MAX = 10_000;
/** Logins of programs (`waybill login`) that wait for a person, from one network. */
export const DEVICE_LOGINS_WAITING_PER_NETWORK_MAX = 50;
/** Time within which a person can allow the login of a program. */
export const DEVICE_LOGIN_LIFETIME_S = 600;
/** Characters of the name that a program gives itself for a login. */
export const DEVICE_LOGIN_NAME_MAX_CHARS = 100;
/** Agents of one business. */
export const AGENTS_PER_BUSINESS_MAX = 200;
/** Characters of an agent's name. */
export const AGENT_NAME_MAX_CHARS = 100;
/** Characters of an agent's description. */
export const AGENT_DESCRIPTION_MAX_CHARS = 500;
/** Valid keys of one agent. */
export const KEYS_PER_AGENT_MAX = 20;
/** Revoked keys of one agent that stay in the list; beyond it, a new key removes the oldest. */
export const REVOKED_KEYS_PER_AGENT_MAX = 180;
/** Senders, domains and businesses that one business can block. */
export const BLOCKS_PER_BUSINESS_MAX = 10_000;
/** Contacts that one business can save. Parties that it has not saved do not count. */
export const SAVED_CONTACTS_PER_BUSINESS_MAX = 100_000;
/** Contacts that one page looks at to find those that meet its filters, unless an index finds them (`q` that few match). Then the page ends early with `next_cursor`. */
export const CONTACTS_SCANNED_MAX = 5_000;
/** Characters of a contact's label. */
export const CONTACT_LABEL_MAX_CHARS = 200;
/** Characters of a contact's notes. */
export const CONTACT_NOTES_MAX_CHARS = 10_000;
/** Characters of a search for contacts. */
export const CONTACT_QUERY_MAX_CHARS = 200;
/** Types, and actors, that a contact shows. */
export const ACTIVITY_ITEMS_MAX = 100;
/** Characters of the welcome text of a drop page. */
export const WELCOME_MAX_CHARS = 500;
/** Bytes of a logo, which fits a small body in base64. */
export const LOGO_MAX_BYTES = 40 * 1024;
/** Pixels of a logo in width, and in height. */
export const LOGO_MAX_PIXELS_PER_SIDE = 1_024;

// # Threads, search, export

/** Threads that one request can change. */
export const THREADS_PER_CHANGE_MAX = 500;
/** Characters of a label of threads. */
export const THREAD_LABEL_MAX_CHARS = 40;
/** Labels of one thread. */
export const LABELS_PER_THREAD_MAX = 20;
/** Labels that threads of one business have. */
export const LABELS_PER_BUSINESS_MAX = 500;
/** Characters of a comment on a thread. */
export const COMMENT_MAX_CHARS = 10_000;
/** Members and agents that one comment mentions. */
export const MENTIONS_PER_COMMENT_MAX = 20;
/** Comments on one thread. */
export const COMMENTS_PER_THREAD_MAX = 1_000;
/** Comments of one business on all its threads. */
export const COMMENTS_PER_BUSINESS_MAX = 500_000;
/** Characters of a saved view's name. */
export const VIEW_NAME_MAX_CHARS = 100;
/** Saved views of one member or agent. */
export const VIEWS_PER_WORKER_MAX = 20;
/** Saved views that a business shares. */
export const SHARED_VIEWS_PER_BUSINESS_MAX = 30;
/** Saved views about which one member gets mails. */
export const VIEW_DIGESTS_PER_MEMBER_MAX = 20;
/** Notifications of mentions and assignments that the service keeps for one member or agent: the newest. */
export const NOTIFICATIONS_KEPT_MAX = 1_000;
/** Threads that a list or count looks at to find those that meet several filters, or that are unread: so many of each box, status, with and without assignee or failed schema. Then a page ends early with `next_cursor`. */
export const THREADS_SCANNED_MAX = 1_000;
/** Unread messages of a thread that are counted. */
export const UNREAD_COUNT_MAX = 100;
/** Threads that a count of threads counts. */
export const THREAD_COUNT_MAX = 1_000;
/** Characters of a search query. */
export const SEARCH_QUERY_MAX_CHARS = 500;
/** Words, phrases and operators of a search query. */
export const SEARCH_TERMS_MAX = 20;
/** Messages and comments that a search looks through, newest first, where the index of words does not help. Then its page ends early with `next_cursor`. */
export const SEARCH_SCANNED_MAX = 5_000;
/** Words of a page of results that are compared to mark what matched. Results after that come without marks. */
export const SEARCH_MARKED_WORDS_MAX = 100_000;
/** Time that a first search waits for the index of its business. */
export const FIRST_SEARCH_WAIT_MS = 3_000;
/** Searches of one business that wait for each other, in each process. */
export const SEARCHES_WAITING_PER_BUSINESS_MAX = 20;

export * from './consumer-limits.ts';
export * from './document-fact-limits.ts';
export * from './domain-key-limits.ts';
export * from './log-limits.ts';
export * from './mail-limits.ts';
export * from './mcp-limits.ts';
export * from './people-limits.ts';
export * from './process-limits.ts';
export * from './rendition-limits.ts';
export * from './schema-limits.ts';
export * from './webhook-limits.ts';
export * from './witness-limits.ts';

/** `<handle>+<segment>` must fit the local part of a mail address. */
const MAIL_LOCAL_PART_MAX_OCTETS = 64;
if (HANDLE_MAX_CHARS + 1 + SEGMENT_MAX_CHARS > MAIL_LOCAL_PART_MAX_OCTETS) throw new Error('handle and segment outgrow a mail address');
/** S3 allows no more parts in a multipart upload. */
const PARTS_MAX = 10_000;
if (UPLOAD_MAX_BYTES > PARTS_MAX * UPLOAD_PART_BYTES) throw new Error('the largest file has more parts than a bucket takes');
if (BODY_MAX_BYTES < JSON_MAX_BYTES + NOTE_MAX_CHARS * 12) throw new Error('a body has no room for json and note');
if (SIGNED_REST_MAX_BYTES < NOTE_MAX_CHARS * 12 + 16 * 1024) throw new Error('the body of a signed message has no room for a note');
if (LOGO_MAX_BYTES * 1.4 > SMALL_BODY_MAX_BYTES) throw new Error('a logo does not fit a small body');

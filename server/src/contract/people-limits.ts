// # People and signing in

/** Characters of a person's name. */
export const PERSON_NAME_MAX_CHARS = 100;
/** Characters of a passkey's name. */
export const PASSKEY_NAME_MAX_CHARS = 100;
/** Characters of a browser's `User-Agent` that a session keeps. */
export const USER_AGENT_KEPT_CHARS = 300;
/** Time after which an unused session ends. */
export const SESSION_LIFETIME_S = 30 * 24 * 3_600;
/** Time after which the use of a session is noted again, and extends it. */
export const SESSION_RENEWED_AFTER_S = 600;
/** Time after signing in within which a passkey can be added. */
export const SESSION_FRESH_FOR_S = 24 * 3_600;
/** Digits of a one-time code. */
export const CODE_DIGITS = 6;
/** Time for which a code is valid. */
export const CODE_LIFETIME_S = 600;
/** Tries for a code, in the browser that requested it. */
export const CODE_TRIES_MAX = 5;
/** Window in which codes and tries count. */
export const CODE_WINDOW_S = 600;
/** Codes for one mailbox that one network can request in a window, or one browser in which somebody has signed in with the mailbox. */
export const CODES_PER_MAILBOX_AND_WINDOW_MAX = 5;
/** Codes for one mailbox that one network can request per day, or one browser in which somebody has signed in with the mailbox. */
export const CODES_PER_MAILBOX_AND_DAY_MAX = 20;
/** Codes for one mailbox that all networks in which nobody has signed in with the mailbox can request per day together. With the tries for each code, this limits guessing to 200 tries of a million codes. */
export const CODES_PER_MAILBOX_FROM_STRANGERS_AND_DAY_MAX = 40;
/** Codes for one mailbox that strange networks request per day before the mail with a code brings a link. With the link, the reader of the mailbox requests codes that count separately: 5 in a window, 20 per day. */
export const CODES_PER_MAILBOX_QUIET_MAX = 5;
/** Codes that one network can request in a window, for all mailboxes. */
export const CODES_PER_ADDRESS_AND_WINDOW_MAX = 50;
/** Tries that one network has in a window, for all codes. */
export const CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX = 100;
/** Days for which a browser or network counts as known after somebody has signed in with the mailbox. */
export const DEVICE_KNOWN_DAYS = 180;

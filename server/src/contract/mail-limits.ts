// # Mail

/** Mails that a service without a mail server keeps. */
export const KEPT_MAILS_MAX = 200;
/** Days for which a service without a mail server keeps mails. */
export const KEPT_MAIL_DAYS = 7;
/** Time after a first notification in which others join its mail, for members who get mails at once. */
export const NOTIFICATION_MAIL_DELAY_S = 30;
/** Size of an incoming mail: enough for the largest file of a message, in base64. Setting: `MAIL_MAX_MB`. */
export const MAIL_MAX_MB = 35;
/** Recipients of a mail. */
export const MAIL_RECIPIENTS_MAX = 50;
/** Bytes of a mail's header. */
export const MAIL_HEADER_MAX_BYTES = 128 * 1024;
/** Fields of a mail's header. */
export const MAIL_HEADER_FIELDS_MAX = 500;
/** Lines of a mail's header, continuation lines included. */
export const MAIL_HEADER_LINES_MAX = 4_000;
/** Bytes of a line of a mail without its line break (RFC 5321). */
export const MAIL_LINE_MAX_BYTES = 998;
/** Lines of a whole mail. A mail of 35 MB in base64 has 480,000. */
export const MAIL_LINES_MAX = 1_000_000;
/** DKIM signatures of a mail that the service checks: the first ones that could prove the sender. */
export const MAIL_SIGNATURES_MAX = 3;
/** Age in days, by its Date, up to which the service accepts a mail that only a DKIM signature proves. */
export const MAIL_SIGNED_DAYS_MAX = 3;
/** Hours by which the Date of a mail that only a DKIM signature proves can be ahead of the service's clock. */
export const MAIL_SIGNED_AHEAD_HOURS_MAX = 1;
/** Hours for which the same mail creates no second message: longer than a signed mail is accepted. */
export const MAIL_REPEAT_WINDOW_HOURS = 96;
/** Received fields of a mail; more indicate a mail loop. */
export const MAIL_HOPS_MAX = 30;
/** Bytes of a mail's texts that the service holds in memory; a longer text becomes a file. */
export const MAIL_TEXT_MAX_BYTES = 1024 * 1024;
/** Characters of a sender's name. */
export const MAIL_SENDER_NAME_MAX_CHARS = 100;
/** SMTP connections at a time. */
export const SMTP_CONNECTIONS_MAX = 200;
/** SMTP connections of one address at a time. */
export const SMTP_CONNECTIONS_PER_ADDRESS_MAX = 20;
/** SMTP connections of one network at a time: an IPv4 /24 or an IPv6 /48. */
export const SMTP_CONNECTIONS_PER_NETWORK_MAX = 40;
/** SMTP connections that are reserved for networks that have none. */
export const SMTP_CONNECTIONS_RESERVED = 50;
/** Mails of one SMTP connection. */
export const SMTP_MAILS_PER_CONNECTION_MAX = 100;
/** Rejected senders and recipients of one SMTP connection. */
export const SMTP_REFUSALS_PER_CONNECTION_MAX = 100;
/** Time for which an SMTP connection can be idle. */
export const SMTP_IDLE_MAX_MS = 60_000;
/** Time for which an SMTP connection can be open. */
export const SMTP_CONNECTION_MAX_MS = 30 * 60_000;

if (MAIL_REPEAT_WINDOW_HOURS <= MAIL_SIGNED_DAYS_MAX * 24 + MAIL_SIGNED_AHEAD_HOURS_MAX)
  throw new Error('a signed mail outlives its record');

// # Keys that a domain vouches for

/** Bytes of the file `/.well-known/waybill-keys.json` of a domain. */
export const DOMAIN_KEY_FILE_MAX_BYTES = 64 * 1024;
/** Keys of one handle in that file. */
export const DOMAIN_KEYS_PER_HANDLE_MAX = 100;
/** Seconds between two fetches of the file of a domain that its business asks for. */
export const DOMAIN_KEY_CHECK_PAUSE_S = 10;
/** Days for which the file can be missing before the domain no longer vouches for keys. */
export const DOMAIN_KEY_FILE_MISSING_DAYS = 7;
/** Changes of the keys of one domain that the log takes in 24 hours. */
export const DOMAIN_KEY_CHANGES_PER_DAY_MAX = 10;
/** Changes of the keys of one domain that the log takes in all. */
export const DOMAIN_KEY_CHANGES_MAX = 1_000;
/** Domains of one business whose files are fetched. */
export const DOMAIN_KEY_DOMAINS_MAX = 20;

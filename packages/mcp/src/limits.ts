/** Characters of one result of a tool or of a resource. Longer texts are cut, and the result says so. */
export const RESULT_MAX_CHARS = 60_000;
/** Characters to which texts are cut before items are left out. */
export const CUT_TEXT_MIN_CHARS = 200;
/** Bytes of `json` up to which read_thread has it; a larger one is read with its message. */
export const JSON_IN_THREAD_MAX_BYTES = 8 * 1024;
/** Characters of a note in a list. */
export const NOTE_IN_LIST_MAX_CHARS = 500;
/** Files of a message that are listed, and characters of their names. */
export const FILES_LISTED_MAX = 20;
export const FILENAME_MAX_CHARS = 200;
/** Messages, threads or results of one page. */
export const PAGE_MAX_ITEMS = 20;
export const PAGE_DEFAULT_ITEMS = 10;
/** Bytes of a file that get_file reads. */
export const FILE_TEXT_MAX_BYTES = 32 * 1024;
/** Characters of JSON that verify_receipt compares: its hash is computed while others wait. */
export const VERIFIED_JSON_MAX_CHARS = 64 * 1024;
/** Levels of JSON that is given as a value. To write a deeper one, JSON.stringify needs time by the square of its levels. */
export const JSON_VALUE_MAX_LEVELS = 100;
/** Seconds that next_message waits at most: below the time-outs of common clients. */
export const WAIT_MAX_S = 25;
export const LEASE_DEFAULT_S = 300;

/** Characters of the key of a log: a name, an id and 33 bytes in base64. */
export const VKEY_MAX_CHARS = 512;

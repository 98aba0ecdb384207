// # Documents of threads

/** Bytes of a message's JSON that is read for the number, total and due date of its document. Larger JSON has none, but its type still counts for the state. */
export const DOCUMENT_FACTS_MAX_BYTES = 256 * 1024;
/** Documents of a thread, the newest first, from which its state, total and due date follow, and whose numbers a filter compares. */
export const DOCUMENTS_PER_THREAD_READ_MAX = 200;
/** Documents with the same number, the newest first, whose threads a filter by number finds. */
export const DOCUMENTS_PER_NUMBER_MAX = 1_000;

// # Documents as PDF, CSV, spreadsheet and XML

/** Pages of a PDF, beside those with its receipt. A longer document ends there, and says so. */
export const PDF_PAGES_MAX = 100;
/** Processor time that a worker may use for one document; beyond it, the request gets 413. */
export const RENDITION_CPU_MAX_MS = 8_000;
/** Memory of the JavaScript of such a worker; with more, the request gets 413. */
export const RENDITION_WORKER_MEMORY_MB = 192;
/** Documents that are made at the same time, in each process; one at a time for each business. */
export const RENDITIONS_AT_ONCE = 2;
/** Documents of one business that wait for each other, in each process. */
export const RENDITIONS_WAITING_PER_BUSINESS_MAX = 10;
/** Time that a request waits for a worker before it gets 429. */
export const RENDITION_PATIENCE_MS = 20_000;

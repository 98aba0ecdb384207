// # Processes, connections and the database

/** Open connections of clients, in each process; fewer where the limit of open files is low. */
export const CONNECTIONS_MAX = 10_000;
/** Share of these that one network can have, which here is an IPv4 address or an IPv6 /48. Proxies that `TRUSTED_PROXIES` names are not counted. */
export const CONNECTIONS_PER_NETWORK_SHARE = 0.5;
/** Open files that are left to the database, webhooks and mail; of the others, clients can have half. */
export const DESCRIPTORS_KEPT_BACK = 256;
/** Processes that share a port of one machine (`--processes`). */
export const PROCESSES_MAX = 64;
/** Seconds for which one of these processes can be silent before it is killed and replaced. */
export const PROCESS_SILENT_MAX_S = 15;
/** Time within which the database must respond to a statement or commit; then the request gets 503, and whether it was done is unknown. Repeat a send with its `Idempotency-Key` to find out. Migrations and the commands of operators have no such limit. */
export const STATEMENT_MAX_MS = 10_000;
/** Time for which a committed write counts as proof for `/readyz` that the database takes writes. */
export const WRITE_PROOF_FRESH_MS = 5_000;
/** Time after which a write that proves nothing yet makes `/readyz` 503, and the service refuse further writes until it is committed. */
export const WRITE_PROOF_MAX_MS = 3_000;
/** Exports of one business at a time, in each process. */
export const EXPORTS_PER_BUSINESS_MAX = 2;

/** Commands for operators. They come with the service, and are loaded only when called. */
export const OPERATORS = ['business', 'domain', 'agent', 'key', 'migrate', 'reindex', 'distribute', 'shards'] as const;

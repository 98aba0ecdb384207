/** Commands for those who run the service. They come with the service, and are loaded only when they are called. */
export const OPERATORS = ['business', 'domain', 'agent', 'key', 'migrate', 'reindex', 'distribute', 'shards'] as const;

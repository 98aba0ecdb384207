export const OPERATORS = ['business', 'domain', 'agent', 'key', 'migrate', 'reindex', 'distribute', 'shards'] as const;

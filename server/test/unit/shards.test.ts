import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '../../src');

/** Files that may query all shards: the operator's commands, chores, and code that waits for any shard. */
const MAY_ASK_ALL_SHARDS = [
  'modules/acknowledgements/expire.ts',
  'modules/contacts/chores.ts',
  'modules/document-facts/document-sweep.ts',
  'modules/files/chores.ts',
  // The lag of all followers.
  'modules/following/follow-metrics.ts',
  'modules/following/reindex.ts',
  // Checks once, at the start, whether the schema checker is needed.
  'modules/inbox-schema/inbox-schema.ts',
  'modules/joined-history/joined-history.ts',
  // The sequencer serves one log for all shards, and batches may be older than the shards.
  'modules/log/leaves.ts',
  'modules/log/log-status.ts',
  'modules/log/log.ts',
  'modules/log/new-log.ts',
  'modules/log/older-messages.ts',
  'modules/log/places.ts',
  'modules/messages/chores.ts',
  // The ledger has batches for each shard.
  'modules/messages/ledger.ts',
  // The receipt may be older than tokens with the sender's shard.
  'modules/messages/read-messages.ts',
  'modules/messages/relay.ts',
  'modules/search/search-index.ts',
  'modules/threads/digests.ts',
  'modules/webhooks/chores.ts',
  'modules/webhooks/dispatcher.ts',
  // Reads once, at the start, which keys are in use.
  'modules/webhooks/webhook-secrets.ts',
];

test('only those on the list ask all shards', () => {
  const files = globSync('{modules,http}/**/*.ts', { cwd: SOURCES }).toSorted();
  expect(files.filter((file) => /\.shards\b/.test(readFileSync(path.join(SOURCES, file), 'utf8')))).toEqual(MAY_ASK_ALL_SHARDS);
});

import type { TextQueryable } from './postgres.ts';

/**
 * Release 0.1 recorded nineteen migrations, which `0001_baseline.sql` replaces. A database that has them all is at the
 * baseline; these are their names and checksums, and the functions that they created.
 */
export const FORMER_RELEASE = '0.1';

export const FORMER_MIGRATIONS: ReadonlyMap<string, string> = new Map([
  ['0001_foundation.sql', '7dfa731a9fd72ce46bf3e6cc4f376f2b86200116657091c817612c69882f2dff'],
  ['0002_webhooks.sql', '3f66a37e54935ccd22e8a54c9049a979c3878df69f77ef72301350443595672a'],
  ['0003_inbox_schemas.sql', '7fd30badd5d61b7f42e4535c62e7ef5cff9a59fbcc185deec0c5d49c588a0061'],
  ['0004_blocks_and_contacts.sql', 'c711cc8ca722aab559993a772cd4d715d5d0bef1cd63e332f5bd3dc32431f336'],
  ['0005_webhook_claims.sql', 'ef938ac2164d9693d58e41162c5c3419e7c6c6daa88ff07d27024311bdae979b'],
  ['0007_mail.sql', 'f7e4f7a78275788074f1a5fdf2774de0884217682c49d980853cacfcf91a0905'],
  ['0008_accounts.sql', '448bbce5cd7cd3766ea7989dfd27da634d959069ae1cf3d0460ea08dc5faae5e'],
  ['0009_unclaimed_parties.sql', '9e36f9e5ee20f96c6c26566cb26e5f83ded64bb03c34202a2d781a3c2b46307a'],
  ['0010_joined_history.sql', 'd547cabc3177bda7bed99e3696328a6c2e21609c03c8f13d3c5b056d08951123'],
  ['0011_members_and_domains.sql', '19d0b225e37235fa786ede01f3b0d3c0f9f7f12745bf069d85093e7a06111f79'],
  ['0013_upload_parts.sql', '99ab0a6da9f35c7ace820e0dc80800fd288147d98f5eddf5d815f39bf4bfc372'],
  ['0014_usage.sql', '40f1bc27fb06a381bdc87e0a14bd0034f07661bb1bec6284e67b50ea27107b7e'],
  ['0015_webhook_batches.sql', 'a7652ed44b7eb089b796a0e1ff771f3c2ed0b11b134c6e82d01ca142afdcb533'],
  ['0016_mail_proof.sql', '265b1ccd5ea6e6e121598dc10d5436d95f89dc48867d8a1b01456aac73872b3c'],
  ['0018_uploads.sql', '7097d16fe12e42ed3744dfc2308faba8b9b25a6cd8dc08fba9c5223a6247b446'],
  ['0019_sends.sql', '04d9a575c16cba87ae2f1ff0aa70569de333375b78d7a576a487ed2d7449c80c'],
  ['0020_blocks_and_limits.sql', 'af7cb406ceaab997b0fcc265ad1b07b3216b49d83c9fbe237fd0336ef2a9485c'],
  ['0021_webhook_health.sql', '261cdb6b46d665c10c8ffc07e4a7b338460e3a3f90c05a4089af370b1f54b07e'],
  ['0022_people.sql', '1352d01319d4415c062e571bcdfe8a1a6b045ed999e62cb4c33433f2100738e6'],
]);

const FORMER_FUNCTIONS = [
  'announce_upload',
  'charge_owner',
  'claim_webhook_attempts',
  'commit_messages',
  'domain_with_parents',
  'follow_messages',
  'is_blocked',
  'join_thread',
  'judge_unproven_webhooks',
  'merge_contact',
  'new_uuid',
  'note_contacts',
  'public_id',
  'queue_mail',
  'queue_reply_notices',
  'queue_webhook_attempts',
  'record_webhook_attempts',
  'uuid_in_id',
  'window_of_key',
];

/** Records the baseline in place of the former migrations, and the former functions as ones to re-create or drop. */
export async function recordFormerAsBaseline(tx: TextQueryable, baseline: { name: string; checksum: string }): Promise<void> {
  await tx.queryText('DELETE FROM schema_migrations WHERE name = ANY ($1)', [[...FORMER_MIGRATIONS.keys()]]);
  await tx.queryText('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [baseline.name, baseline.checksum]);
  await tx.queryText("INSERT INTO schema_functions (name, checksum) SELECT name, '' FROM unnest($1::text[]) AS name", [FORMER_FUNCTIONS]);
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TextQueryable } from '../postgres/postgres.ts';

/**
 * The nineteen migrations of release 0.1 with their checksums. `0001_baseline.sql` replaces them. A database from a commit before the
 * release may lack some: migrations/former makes the same changes to its tables.
 */
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

const FUNCTIONS_ONLY = '';
const SEALED = 'ALTER TABLE uploads ADD COLUMN sealed_bytes bigint;';
/** Databases of the first commits have no tables for files. */
const FILES = `
  ALTER TABLE messages ADD COLUMN file_count smallint NOT NULL DEFAULT 0;
  ALTER TABLE messages ALTER COLUMN file_count DROP DEFAULT;
  CREATE TABLE uploads (party_id bigint NOT NULL, id uuid NOT NULL, filename text NOT NULL, content_type text NOT NULL,
    size_bytes bigint NOT NULL, sealed_bytes bigint, expires_at timestamptz NOT NULL, PRIMARY KEY (party_id, id));
  CREATE INDEX uploads_by_age ON uploads (expires_at);
  CREATE TABLE objects (party_id bigint NOT NULL, id uuid NOT NULL, size_bytes bigint NOT NULL, sha256 bytea, PRIMARY KEY (party_id, id));
  CREATE INDEX objects_by_id ON objects (id);
  CREATE TABLE files (party_id bigint NOT NULL, id uuid NOT NULL, message_id uuid NOT NULL, ordinal smallint NOT NULL,
    owner_id bigint NOT NULL, object_id uuid NOT NULL, filename text NOT NULL, content_type text NOT NULL, PRIMARY KEY (party_id, id));
  CREATE INDEX files_by_message ON files (party_id, message_id, ordinal);`;
const FOLDED_NAMES = `UPDATE parties SET folded_name = replace(replace(lower(upper(normalize(display_name, NFC))), 'ß', 'ss'), 'ς', 'σ');`;

/**
 * Commits before the release have edited migrations. Key: the checksum of an earlier form. Value: the SQL that makes its tables those of the last
 * form.
 */
export const EARLIER_FORMS: ReadonlyMap<string, string> = new Map([
  ['1c7e31a845bf748baf0740278c79487dbec9301aafdaac75d67ba213c8a64575', FILES],
  ['d793f5f2f8023dca78b7de3267dfc2965867870f79890c6b485a2638355332b0', FILES],
  ['b3ce5f48764ddbd7f28040a8b2a4e96c0e45b97e837481d6c805b107dd9f4086', SEALED],
  ['1a36341486796a396bd9a4cc9518feb34d11ee132f2f2add8cb8bcc24c402bfc', FUNCTIONS_ONLY],
  ['83d6b6d493475446cbd0c646fdb277be183c302e336c1d9f6e254fccad47dc71', FUNCTIONS_ONLY],
  ['b6c6ae9ea11d3a2fc09697782c319693411fd79864ed65bf93fc048518ee6831', FUNCTIONS_ONLY],
  ['27484ef5befe51cdabd16dee0423227141ab85382773fe7b3f039873a79f8736', FOLDED_NAMES],
  ['bea511d09f6161b3dda7587e6e21a12149d7bcc35d3d2dbc82f2a90d156d082f', FUNCTIONS_ONLY],
  ['3a7d19799f8423668b8063b0c7af9c5a8e3ff8eb9d6280e57ed116426792bb11', FUNCTIONS_ONLY],
  [
    '9b05a0cdc1fd78599968d5cc35ba01df76f37b49178a25c03ddc25cad30b0c94',
    'DELETE FROM sign_in_counts; ALTER TABLE sign_in_counts DROP CONSTRAINT sign_in_counts_pkey, ADD PRIMARY KEY (subject);',
  ],
  [
    'bc5fa5a1e0719d1b37b7b843b6fc7d499428ad75efb09b523b21778174796192',
    'ALTER TABLE joined_threads DROP CONSTRAINT joined_threads_pkey, ADD PRIMARY KEY (party_id, thread_id, business_id);',
  ],
  ['bbd1777230b2d16d35812e524769776be7539a83b39d0877783106aed659f8b7', FUNCTIONS_ONLY],
  ['45e8d2bf2f0e71c8aa4a67370937dad1f2a98a5a63cdb42f99ef1c1f3d25a9bb', FUNCTIONS_ONLY],
  ['ed4bf574a5ae136e0a28b169d5b95271b11edabd1a504dce47a6562ca581623e', FUNCTIONS_ONLY],
]);

export interface AppliedMigration {
  name: string;
  checksum: string;
}

/** Brings the tables to the baseline, and records it in place of the former migrations. All functions must be re-created or dropped afterwards. */
export async function bringToBaseline(
  tx: TextQueryable,
  applied: readonly AppliedMigration[],
  folder: string,
  baseline: AppliedMigration,
): Promise<void> {
  for (const { checksum } of applied) await tx.queryText(EARLIER_FORMS.get(checksum) ?? '');
  for (const name of FORMER_MIGRATIONS.keys())
    if (!applied.some((migration) => migration.name === name)) await tx.queryText(readFileSync(path.join(folder, 'former', name), 'utf8'));
  await tx.queryText('DELETE FROM schema_migrations WHERE name = ANY ($1)', [[...FORMER_MIGRATIONS.keys()]]);
  await tx.queryText('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [baseline.name, baseline.checksum]);
  await tx.queryText(
    `INSERT INTO schema_functions (name, checksum)
     SELECT DISTINCT p.proname, '' FROM pg_proc p
      WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
  );
}

/** The first commits after the baseline have edited it, too: a comment, and the order of a type's attributes. */
const EARLIER_BASELINE = '19cd6a4161a566b3e21f503ad3f262392ee38cae0da6e4149ab287380df6483f';
const EARLIER_BATCHES = '7fa61d45bf525b8e87c9be51c10e2f134d5bf3932f3fefbd8ca02288690c46ce';
const BATCHES = '0002_batches_of_rows.sql';

/** Replaces the objects that these commits have left, and sets the checksums of the present files. */
export async function correctBaseline(
  tx: TextQueryable,
  applied: readonly AppliedMigration[],
  known: readonly (AppliedMigration & { sql: string })[],
): Promise<void> {
  for (const { name, checksum } of applied) {
    const present = known.find((migration) => migration.name === name);
    if (!present || (checksum !== EARLIER_BASELINE && checksum !== EARLIER_BATCHES)) continue;
    if (name === BATCHES) {
      const created = /CREATE TYPE prepared_message AS \([\s\S]*?\n\);/.exec(present.sql)?.[0] ?? '';
      await tx.queryText(`DROP TYPE prepared_message CASCADE; ${created} UPDATE schema_functions SET checksum = ''`);
    }
    await tx.queryText('UPDATE schema_migrations SET checksum = $2 WHERE name = $1', [name, present.checksum]);
  }
}

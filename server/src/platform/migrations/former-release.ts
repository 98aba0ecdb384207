import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TextQueryable } from '../postgres/postgres.ts';
import { applyMigration } from './apply-migration.ts';

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

interface AppliedMigration {
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

/** The form that a migration had in earlier commits after the baseline. */
interface LaterForm {
  name: string;
  checksum: string;
  /** What the migration is called now. Missing: the same. */
  presentName?: string;
  /** From the text of the present form: the SQL that makes the tables and types of the earlier form those of the present one. */
  correction?: (present: string) => string;
}

const shardPart = (present: string) => present.slice(present.indexOf('-- In each shard:'));

/**
 * Parties that take no replies, such as the demo inbox, had no threads. Now they have, and a worker reads those of their ledgers, as it does for all others
 * after this migration.
 */
const INDEX_OF_ALL = `
-- In each shard:
INSERT INTO thread_index (party_id, indexed_through, read_from, rebuilt_through)
SELECT l.party_id, l.head, l.head, '00000000-0000-0000-0000-000000000000'
  FROM ledgers l JOIN parties p ON p.id = l.party_id WHERE p.handle IS NOT NULL AND NOT p.takes_replies`;
/** Logins last for minutes: those under way, whose networks nobody knows, begin again. */
const NETWORKS = `
DELETE FROM device_logins;
ALTER TABLE device_logins ADD COLUMN network text COLLATE "C" NOT NULL;
CREATE INDEX device_logins_of_network ON device_logins (network);`;
const STORAGE = `
ALTER TABLE log_edges ALTER COLUMN hashes SET STORAGE EXTENDED;

-- In each shard:
ALTER TABLE log_batches ALTER COLUMN leaves SET STORAGE EXTENDED;`;
const LOG_OF_FILES = `${STORAGE}
ALTER TABLE files ADD COLUMN log_batch uuid;`;
/** Digests of bodies can't be compared with those of requests, so none is kept: repeats of these keys get the original, without a word on differences. */
const REQUEST_DIGESTS = `
ALTER TYPE prepared_message RENAME ATTRIBUTE body_digest TO request_digest;

-- In each shard:
ALTER TABLE idempotency_keys DROP COLUMN body_digest, ADD COLUMN request_digest bytea;`;

/** Commits between the baseline and release 0.3 have edited and renamed migrations. */
const LATER_FORMS: readonly LaterForm[] = [
  // A comment has been edited.
  { name: '0001_baseline.sql', checksum: '19cd6a4161a566b3e21f503ad3f262392ee38cae0da6e4149ab287380df6483f' },
  {
    name: '0002_batches_of_rows.sql',
    checksum: '7fa61d45bf525b8e87c9be51c10e2f134d5bf3932f3fefbd8ca02288690c46ce',
    // The attributes of the type had another order.
    correction: (present) => {
      const created = /CREATE TYPE prepared_message AS \([\s\S]*?\n\);/.exec(present)?.[0] ?? '';
      return `DROP TYPE prepared_message CASCADE; ${created} UPDATE schema_functions SET checksum = ''`;
    },
  },
  {
    name: '0004_threads.sql',
    checksum: 'b11303b7536d2cb83387421da7e8dd0110c46769fc7c9928c65f9fbb3b174e2e',
    correction: () => INDEX_OF_ALL,
  },
  {
    name: '0016_consumers.sql',
    checksum: 'e30d777428b457df8a53510c897598694229fea06547ae1f2bec2f6e19192ffd',
    presentName: '0019_consumers.sql',
  },
  {
    name: '0016_webhook_exchanges.sql',
    checksum: '091111c9acba907f4a27b5b04297db5cbdf916858952493e45d328a0e3ca02ff',
    presentName: '0020_webhook_exchanges.sql',
  },
  {
    name: '0017_webhook_public_keys.sql',
    checksum: '33c91f451d109913cd1f967fdc0b49f5744c47f04ac0c30882bdb6b0c511d614',
    presentName: '0021_webhook_public_keys.sql',
  },
  {
    name: '0023_device_logins.sql',
    checksum: '4facb1f5007a9263cdedf00f22405086114dc442a0bd678bf03ba55a8bcf20d8',
    correction: () => NETWORKS,
  },
  {
    name: '0030_agent_cards.sql',
    checksum: '32481d51d6339d77f32d53ab82ba96a46894b3f67e7dcb8d481bce5fd13b851d',
    presentName: '0024_agent_cards.sql',
  },
  {
    name: '0030_log.sql',
    checksum: 'c333099812bb4e1346982ceb104a4cc3898c1c9466bf375b190656aaad8c601c',
    presentName: '0025_log.sql',
    correction: () => LOG_OF_FILES,
  },
  {
    name: '0030_log.sql',
    checksum: 'cd7f619d1ca8bdb8a76b319087f90ea53f4a87a2faf8561d25c5e13290c38e77',
    presentName: '0025_log.sql',
    correction: () => STORAGE,
  },
  {
    name: '0030_log.sql',
    checksum: '070abd1fb692f5dd00ea0d935b608b6208aad01b441dd1bd3bdae11758a7ec62',
    presentName: '0025_log.sql',
  },
  {
    name: '0030_security.sql',
    checksum: '8f3e07f0c981330eb101bf3c3ffc0b257982df2ba2a20caa16338fce61f51f53',
    correction: shardPart,
  },
  {
    name: '0030_security.sql',
    checksum: '0795e45723525d9d33cedb4d3eb21c567a24e8b5161ba0f5bcb069dace6dab56',
    correction: (present) => shardPart(present).replace(/CREATE TABLE webhook_recovery_usage [\s\S]*/, ''),
  },
  {
    name: '0031_body_digests.sql',
    checksum: 'dfeec6b0df2595dcfb9a0992fec2fe50c287f74ee25742780385946f7e8d1455',
    presentName: '0031_request_digests.sql',
    correction: () => REQUEST_DIGESTS,
  },
  {
    name: '0040_signatures.sql',
    checksum: 'c421f4101a2f25d84de555278ac31c151f9fd30e864efabcfc71b490e0324fcc',
    presentName: '0026_signatures.sql',
  },
  {
    name: '0050_log_attestors.sql',
    checksum: '7f8b76c5009b7fa5be63f0db00fac76c3484e64b3d5ab3ae14772801229054e2',
    presentName: '0027_log_attestors.sql',
  },
];

/** Makes what earlier forms have left that of the present files, and records these in place of the earlier forms. */
export async function bringToPresentForms(
  tx: TextQueryable,
  applied: readonly AppliedMigration[],
  known: readonly (AppliedMigration & { sql: string })[],
): Promise<void> {
  for (const { name, checksum } of applied) {
    const form = LATER_FORMS.find((earlier) => earlier.name === name && earlier.checksum === checksum);
    const present = known.find((migration) => migration.name === (form?.presentName ?? name));
    if (!form || !present) continue;
    if (form.correction) await applyMigration(tx, form.correction(present.sql));
    await tx.queryText('UPDATE schema_migrations SET name = $2, checksum = $3 WHERE name = $1', [name, present.name, present.checksum]);
  }
}

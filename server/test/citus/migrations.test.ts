import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { migrate, SCHEMA_FOLDERS } from '../../src/platform/migrations/migrate.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { temporaryFolder } from '../support/process.ts';
import { createDatabase } from '../support/service.ts';

test('a migration of several statements is applied in each shard of a distributed database', async () => {
  const database = new Database({ connectionString: await createDatabase() }, pino({ level: 'silent' }));
  onTestFinished(() => database.close());
  const migrations = temporaryFolder();
  cpSync(SCHEMA_FOLDERS.migrations, migrations, { recursive: true });
  writeFileSync(
    path.join(migrations, '9999_colours.sql'),
    `CREATE TYPE colour AS ENUM ('red');
-- In each shard:

-- What others see; not more.
CREATE TABLE colours (
  party_id bigint NOT NULL PRIMARY KEY,
  colour   colour NOT NULL
);
CREATE INDEX colours_by_colour ON colours (colour, party_id);
INSERT INTO colours (party_id, colour)
SELECT p.id, 'red' FROM parties p;
ALTER TABLE contacts ADD COLUMN colour colour;
`,
  );
  expect(await migrate(database, { ...SCHEMA_FOLDERS, migrations })).toEqual(['9999_colours.sql']);
  const placed = await database.queryText<{ name: string }>(
    `SELECT table_name::text AS name FROM citus_tables WHERE table_name::text LIKE '%.colours' ORDER BY 1`,
  );
  expect(placed).toEqual([0, 1, 2, 3].map((shard) => ({ name: `shard_${shard}.colours` })));
});

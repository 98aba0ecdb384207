import { randomBytes } from 'node:crypto';
import type { TextQueryable } from '../postgres/postgres.ts';

const SECRET_BYTES = 32;

/** A secret that all processes of a service share. The first process to ask generates it. */
export async function sharedSecret(database: TextQueryable, name: string): Promise<Buffer> {
  await database.queryText('INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    randomBytes(SECRET_BYTES),
  ]);
  const [row] = await database.queryText<{ value: Buffer }>('SELECT value FROM service_secrets WHERE name = $1', [name]);
  if (!row) throw new Error(`the secret ${name} is gone`);
  return row.value;
}

import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';
import type { StoredSecrets, WebhookKey } from './attempt-store.ts';

const TIME_IN = statement('SELECT now() + make_interval(secs => $1) AS time', { time: 'timestamptz' });

interface StoredKeys extends Omit<StoredSecrets, 'headers'> {
  publicKey: string | null;
}

const LOCK_KEYS = statement('SELECT secret, previous_secret, public_key FROM webhooks WHERE party_id = $1 AND id = $2 FOR NO KEY UPDATE', {
  secret: 'text',
  previous_secret: 'text?',
  public_key: 'text?',
});

/** Locks the keys until the transaction ends. Returns undefined without the webhook. */
export async function lockKeys(tx: Queryable, { partyId, webhookId }: WebhookKey): Promise<StoredKeys | undefined> {
  const [row] = await tx.query(LOCK_KEYS, [partyId, webhookId]);
  return row && { secret: row.secret, previousSecret: row.previous_secret, publicKey: row.public_key };
}

const SET_KEYS = statement('UPDATE webhooks SET secret = $3, previous_secret = $4, public_key = $5 WHERE party_id = $1 AND id = $2');

export async function setKeys(tx: Queryable, { partyId, webhookId }: WebhookKey, keys: StoredKeys): Promise<void> {
  await tx.query(SET_KEYS, [partyId, webhookId, keys.secret, keys.previousSecret, keys.publicKey]);
}

const REPLACE_KEYS = statement(
  `UPDATE webhooks SET previous_secret = CASE WHEN $5::timestamptz IS NULL THEN NULL ELSE secret END, previous_secret_until = $5,
          secret = $3, public_key = $4
    WHERE party_id = $1 AND id = $2`,
);

/** The present keys also sign for `graceS` more seconds. Returns the end of that time, or null if there is none. */
export async function replaceKeys(
  tx: Queryable,
  { partyId, webhookId }: WebhookKey,
  { secret, publicKey }: Pick<StoredKeys, 'secret' | 'publicKey'>,
  graceS: number,
): Promise<Date | null> {
  const until = graceS === 0 ? null : onlyRow(await tx.query(TIME_IN, [graceS])).time;
  await tx.query(REPLACE_KEYS, [partyId, webhookId, secret, publicKey, until]);
  return until;
}

const KEY_IDS = statement(
  `SELECT DISTINCT found[1] AS id
     FROM webhooks w CROSS JOIN LATERAL regexp_matches(concat(w.secret, w.previous_secret, w.headers), '§([0-9a-f]{8})\\.', 'g') AS found`,
  { id: 'text' },
);

export async function keyIdsInUse(db: Queryable): Promise<string[]> {
  return (await db.query(KEY_IDS)).map(({ id }) => id);
}

const STORED_SECRETS = statement(
  `SELECT party_id, id, secret, previous_secret, headers FROM webhooks
    WHERE (party_id, id) > ($1, $2) ORDER BY party_id, id LIMIT $3`,
  { party_id: 'bigint', id: 'uuid', secret: 'text', previous_secret: 'text?', headers: 'text?' },
);

export async function storedSecrets(db: Queryable, after: WebhookKey, limit: number): Promise<(WebhookKey & StoredSecrets)[]> {
  const rows = await db.query(STORED_SECRETS, [after.partyId, after.webhookId, limit]);
  return rows.map((row) => ({
    partyId: BigInt(row.party_id),
    webhookId: row.id,
    secret: row.secret,
    previousSecret: row.previous_secret,
    headers: row.headers === null ? null : JSON.parse(row.headers),
  }));
}

const RENEW_SECRETS = statement(
  `UPDATE webhooks SET secret = $3, previous_secret = $4, headers = $5
    WHERE party_id = $1 AND id = $2 AND secret = $6 AND previous_secret IS NOT DISTINCT FROM $7 AND headers IS NOT DISTINCT FROM $8
   RETURNING id`,
  { id: 'uuid' },
);

/** Returns false, and changes nothing, if the webhook was changed since it was read. */
export async function renewSecrets(db: Queryable, read: WebhookKey & StoredSecrets, renewed: StoredSecrets): Promise<boolean> {
  const rows = await db.query(RENEW_SECRETS, [read.partyId, read.webhookId, ...textsOf(renewed), ...textsOf(read)]);
  return rows.length > 0;
}

function textsOf({ secret, previousSecret, headers }: StoredSecrets) {
  return [secret, previousSecret, headers && JSON.stringify(headers)];
}

const FORGET_PREVIOUS = statement(
  'UPDATE webhooks SET previous_secret = NULL, previous_secret_until = NULL WHERE previous_secret_until < now()',
);

export async function forgetPreviousSecrets(db: Queryable): Promise<void> {
  await db.query(FORGET_PREVIOUS);
}

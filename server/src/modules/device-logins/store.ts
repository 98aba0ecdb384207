import { KEY_SCOPES, type KeyScope } from '../../contract/api-key.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, statement } from '../../platform/postgres/statement.ts';

const DELETE_EXPIRED = statement('DELETE FROM device_logins WHERE expires_at <= now()');
const COUNT = statement(
  `SELECT (SELECT count(*)::integer FROM (SELECT FROM device_logins LIMIT $3) d) AS all_waiting,
          (SELECT count(*)::integer FROM (SELECT FROM device_logins WHERE network = $1 LIMIT $3) d) AS of_network,
          (SELECT count(*)::integer FROM (SELECT FROM device_logins WHERE site = $2 LIMIT $3) d) AS of_site`,
  { all_waiting: 'integer', of_network: 'integer', of_site: 'integer' },
);

export interface Origin {
  network: string;
  site: string | undefined;
}

/** Deletes expired logins, and counts the others: all, of one network and of one site, each up to a maximum. */
export async function countWaiting(
  db: Queryable,
  { network, site }: Origin,
  upTo: number,
): Promise<{ all: number; ofNetwork: number; ofSite: number }> {
  await db.query(DELETE_EXPIRED);
  const row = onlyRow(await db.query(COUNT, [network, site ?? null, upTo]));
  return { all: row.all_waiting, ofNetwork: row.of_network, ofSite: row.of_site };
}

const INSERT = statement(
  `INSERT INTO device_logins (device_hash, user_code, name, network, site, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(secs => $6)) ON CONFLICT (user_code) DO NOTHING RETURNING user_code`,
  { user_code: 'text' },
);

export async function insertLogin(
  db: Queryable,
  login: { deviceHash: Buffer; userCode: string; name: string; origin: Origin; lifetimeS: number },
): Promise<boolean> {
  const { network, site } = login.origin;
  return (await db.query(INSERT, [login.deviceHash, login.userCode, login.name, network, site ?? null, login.lifetimeS])).length > 0;
}

const LOGIN_ROW = columns({ name: 'text', created_at: 'timestamptz', expires_at: 'timestamptz' });
const WAITING = statement(
  'SELECT name, created_at, expires_at FROM device_logins WHERE user_code = $1 AND party_id IS NULL AND expires_at > now()',
  LOGIN_ROW,
);

export async function findWaiting(db: Queryable, userCode: string) {
  const [row] = await db.query(WAITING, [userCode]);
  return row && { name: row.name, createdAt: row.created_at, expiresAt: row.expires_at };
}

const ALLOW = statement(
  `UPDATE device_logins SET party_id = $2, agent_id = $3, scope = $4, allowed_by = $5
    WHERE user_code = $1 AND party_id IS NULL AND expires_at > now() RETURNING name`,
  { name: 'text' },
);

export async function allowLogin(db: Queryable, userCode: string, { partyId, agentId, scope, allowedBy }: Allowed): Promise<boolean> {
  return (await db.query(ALLOW, [userCode, partyId, agentId, scope, allowedBy])).length > 0;
}

const REFUSE = statement('DELETE FROM device_logins WHERE user_code = $1 AND party_id IS NULL RETURNING user_code', { user_code: 'text' });

export async function refuseLogin(db: Queryable, userCode: string): Promise<boolean> {
  return (await db.query(REFUSE, [userCode])).length > 0;
}

const ALLOWED_ROW = columns({ party_id: 'bigint?', agent_id: 'uuid?', scope: oneOf('key_scope?', KEY_SCOPES), allowed_by: 'uuid?' });
const BY_DEVICE = statement(
  'SELECT party_id, agent_id, scope, allowed_by FROM device_logins WHERE device_hash = $1 AND expires_at > now()',
  ALLOWED_ROW,
);

interface Allowed {
  partyId: bigint;
  agentId: string;
  scope: KeyScope;
  allowedBy: string;
}

/** Null while nobody has decided. Undefined when the login was refused, has expired or was used. */
export async function findAllowed(db: Queryable, deviceHash: Buffer): Promise<Allowed | null | undefined> {
  const [row] = await db.query(BY_DEVICE, [deviceHash]);
  if (!row) return undefined;
  const { party_id: partyId, agent_id: agentId, scope, allowed_by: allowedBy } = row;
  if (partyId === null || agentId === null || scope === null || allowedBy === null) return null;
  return { partyId: BigInt(partyId), agentId, scope, allowedBy };
}

const SPEND = statement('DELETE FROM device_logins WHERE device_hash = $1 RETURNING user_code', { user_code: 'text' });

/** Deletes a login, so that it gives one key only. Returns false when it is gone. */
export async function spendLogin(tx: Queryable, deviceHash: Buffer): Promise<boolean> {
  return (await tx.query(SPEND, [deviceHash])).length > 0;
}

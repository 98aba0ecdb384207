import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import type { ServiceUnderTest } from './service-process.ts';

export interface DirectResult {
  by: 'pgbench' | 'driver';
  perSecond: number;
}

interface Parties {
  senderId: bigint;
  /** Consecutive ids: from the first, this many. */
  firstRecipientId: bigint;
  recipients: number;
}

const SENDER =
  '{"party": {"kind": "handle", "handle": "sender", "display_name": "The sender company"}, "actor": {"kind": "agent", "id": "agt_01m7erf6jnekt8sw8yvkrmndfd", "name": "Bench", "email": null, "verified": true, "provider": "api_key"}}';
const RECIPIENT = '{"party": {"kind": "handle", "handle": "recipient", "display_name": "The recipient company"}}';

/** The rows of one message, in one statement that is a transaction and a round trip: nothing could insert them in fewer. */
function insertMessage(senderId: string, recipientId: string): string {
  return `WITH k AS MATERIALIZED (SELECT nextval('bench_positions') AS position, uuidv7() AS id, uuidv7() AS thread_id),
m AS (INSERT INTO messages (sender_id, id, recipient_id, thread_id, sender, recipient, type, subject, json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, file_count)
SELECT ${senderId}, id, ${recipientId}, thread_id, '${SENDER}', '${RECIPIENT}', '${TYPE}', '${SUBJECT}', '${PAYLOAD}', sha256('json'), 'not_applicable', '[]', now(), sha256('content'), uuid_send(id) || '\\x000000000000', 0 FROM k)
INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type)
SELECT ${senderId}, 'out'::ledger_box, position, id, ${recipientId}, thread_id, 'not_applicable'::validation_status, '${TYPE}' FROM k
UNION ALL SELECT ${recipientId}, 'in', position, id, ${senderId}, thread_id, 'not_applicable', '${TYPE}' FROM k;`;
}

/** The same rows as a send writes, straight into the same PostgreSQL, one transaction each. */
export async function runDirectInserts(
  service: ServiceUnderTest,
  parties: Parties,
  connections: number,
  seconds: number,
): Promise<DirectResult> {
  await service.sql.query('CREATE SEQUENCE IF NOT EXISTS bench_positions CACHE 100');
  const hasPgbench = spawnSync('pgbench', ['--version']).status === 0;
  return hasPgbench
    ? { by: 'pgbench', perSecond: byPgbench(service, parties, connections, seconds) }
    : { by: 'driver', perSecond: await byDriver(service, parties, connections, seconds) };
}

function byPgbench(
  { connection }: ServiceUnderTest,
  { senderId, firstRecipientId, recipients }: Parties,
  connections: number,
  seconds: number,
): number {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-pgbench-'));
  const script = path.join(folder, 'insert.sql');
  const last = firstRecipientId + BigInt(recipients - 1);
  writeFileSync(
    script,
    `\\set recipient random(${firstRecipientId}, ${last})\n${insertMessage(String(senderId), ':recipient').replaceAll('\n', ' ')}\n`,
  );
  const args = ['-n', '-M', 'prepared', '-f', script, '-c', String(connections), '-j', '2', '-T', String(seconds)];
  const env = { ...process.env, PGHOST: String(connection.host), PGUSER: String(connection.user), PGDATABASE: String(connection.database) };
  const { stdout, stderr } = spawnSync('pgbench', args, { env, encoding: 'utf8' });
  rmSync(folder, { recursive: true, force: true });
  const match = /tps = ([\d.]+)/.exec(stdout);
  if (!match) throw new Error(`pgbench failed: ${stderr.slice(0, 500)}`);
  return Number(match[1]);
}

async function byDriver(
  { connection }: ServiceUnderTest,
  { senderId, firstRecipientId, recipients }: Parties,
  connections: number,
  seconds: number,
): Promise<number> {
  const clients = Array.from({ length: connections }, () => new pg.Client(connection));
  await Promise.all(clients.map((client) => client.connect()));
  const text = insertMessage('$1::bigint', '$2::bigint').replace(/;$/, '');
  const end = performance.now() + seconds * 1000;
  let done = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const recipientId = firstRecipientId + BigInt(Math.floor(Math.random() * recipients));
        await client.query({ name: 'insert', text, values: [senderId, recipientId] });
        done++;
      }
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
  return done / seconds;
}

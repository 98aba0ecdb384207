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
  /** The ids of recipients are consecutive, beginning with this one. */
  firstRecipientId: bigint;
  recipients: number;
}

const SENDER =
  '{"party": {"kind": "handle", "handle": "sender", "display_name": "The sender company"}, "actor": {"kind": "agent", "id": "agt_01m7erf6jnekt8sw8yvkrmndfd", "name": "Bench", "email": null, "verified": true, "provider": "api_key"}}';
let startedRounds = 1;

const RECIPIENT = '{"party": {"kind": "handle", "handle": "recipient", "display_name": "The recipient company"}}';

/**
 * Returns the rows of one message: its own, and one for each ledger. Unlike a send, it updates neither ledger heads nor usage, and checks
 * nothing. Ids and positions ascend, like those of sends.
 */
function insertMessage(senderId: string, recipientId: string, n: string): [message: string, entries: string] {
  const id = (kind: number) =>
    `('0000000${kind}-' || substr(lpad(to_hex(${n}), 16, '0'), 1, 4) || '-7000-8000-' || substr(lpad(to_hex(${n}), 16, '0'), 5))::uuid`;
  return [
    `INSERT INTO messages (sender_id, id, recipient_id, thread_id, sender, recipient, type, subject, json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, file_count)
VALUES (${senderId}, ${id(1)}, ${recipientId}, ${id(2)}, '${SENDER}', '${RECIPIENT}', '${TYPE}', '${SUBJECT}', '${PAYLOAD}', sha256('json'), 'not_applicable', '[]', now(), sha256('content'), uuid_send(${id(1)}) || '\\x000000000000', 0)`,
    `INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type)
VALUES (${senderId}, 'out', ${n}, ${id(1)}, ${recipientId}, ${id(2)}, 'not_applicable', '${TYPE}'), (${recipientId}, 'in', ${n}, ${id(1)}, ${senderId}, ${id(2)}, 'not_applicable', '${TYPE}')`,
  ];
}

/** Inserts the rows that a send writes directly into the same PostgreSQL, one transaction each. */
export async function runDirectInserts(
  service: ServiceUnderTest,
  parties: Parties,
  connections: number,
  seconds: number,
): Promise<DirectResult> {
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
  const statements = insertMessage(String(senderId), ':recipient::bigint', ':n::bigint').map((sql) => sql.replaceAll('\n', ' '));
  // Separate numbers for each round and each client.
  const first = `${startedRounds++} * 1000000000000 + :client_id * 1000000000`;
  const numbers = `\\set i :i + 1\n\\set n ${first} + :i\n\\set recipient random(${firstRecipientId}, ${last})\n`;
  writeFileSync(script, `${numbers}BEGIN;\n${statements.join(';\n')};\nCOMMIT;\n`);
  const args = ['-n', '-M', 'prepared', '-D', 'i=0', '-f', script, '-c', String(connections), '-j', '2', '-T', String(seconds)];
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
  const statements = insertMessage('$1::bigint', '$2::bigint', '$3::bigint');
  let n = startedRounds++ * 1_000_000_000_000;
  const end = performance.now() + seconds * 1000;
  let done = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const recipientId = firstRecipientId + BigInt(Math.floor(Math.random() * recipients));
        const values = [senderId, recipientId, n++];
        await client.query('BEGIN');
        for (const [i, text] of statements.entries()) await client.query({ name: `insert-${i}`, text, values });
        await client.query('COMMIT');
        done++;
      }
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
  return done / seconds;
}

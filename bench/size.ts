import type pg from 'pg';
import { formatReceiptToken } from '../server/src/contract/ids.ts';
import { newAuthority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { median } from './processes.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-process.ts';

/**
 * Measures what a page, a receipt and a send cost when there is much more data: a service with 100,000 messages and one with 10,000,000, or
 * the given number, take turns. Stored messages have 100 bytes of json, so that 10,000,000 fit on the disk of a small machine. Messages
 * that are sent have 1 KB.
 */
const SMALL = 100_000;
const BUSINESSES = 1_000;
const AT_ONCE = 500_000;
const ROUNDS = 9;
const SECONDS = 3;
const CONNECTIONS = 8;
const KINDS = ['page', 'receipt', 'send'] as const;
type Kind = (typeof KINDS)[number];

interface Contender {
  messages: number;
  service: ServiceUnderTest;
  keys: string[];
  tokens: string[];
  medians: Map<Kind, number[]>;
}

export async function measureSizes(large: number): Promise<void> {
  const authority = newAuthority();
  const contenders: Contender[] = [];
  try {
    for (const messages of [SMALL, large]) {
      const service = await startServiceUnderTest(authority);
      const businesses = [];
      for (let i = 0; i < BUSINESSES; i++) businesses.push(await service.createBusiness(`business-${i}`));
      const ids = businesses.map(({ id }) => id);
      await fill(service.sql, ids, messages);
      const tokens = await someReceipts(service.sql, messages);
      contenders.push({ messages, service, keys: businesses.map(({ key }) => key), tokens, medians: new Map() });
    }
    for (let round = 0; round <= ROUNDS; round++)
      for (const kind of KINDS)
        for (const contender of round % 2 ? contenders.toReversed() : contenders) {
          const p50 = await takeTurn(contender, kind);
          if (round > 0) contender.medians.set(kind, [...(contender.medians.get(kind) ?? []), p50]);
        }
    console.log(`\nMedians of ${ROUNDS} turns, in ms, with ${CONNECTIONS} connections`);
    console.table(KINDS.map((kind) => summary(contenders, kind)));
    for (const { messages, service } of contenders) console.log(`${messages} messages: ${await bytesOf(service.sql)}`);
  } finally {
    for (const { service } of contenders) await service.stop();
  }
}

function summary(contenders: Contender[], kind: Kind) {
  const [small = Number.NaN, large = Number.NaN] = contenders.map(({ medians }) => median(medians.get(kind) ?? []));
  return { '': kind, small: small.toFixed(2), large: large.toFixed(2), ratio: (large / small).toFixed(2) };
}

async function takeTurn({ service, keys, tokens }: Contender, kind: Kind): Promise<number> {
  const any = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T;
  const body = () =>
    `{"to":"business-${Math.floor(Math.random() * BUSINESSES)}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;
  const requests: Record<Kind, () => string> = {
    page: () => httpRequest('GET', '/v1/inbox?limit=50', any(keys)),
    receipt: () => httpRequest('GET', `/v1/receipts/${any(tokens)}`, any(keys)),
    send: () => httpRequest('POST', '/v1/messages', any(keys), body()),
  };
  const expectStatus = kind === 'send' ? 201 : 200;
  const load = { port: service.port, connections: CONNECTIONS, seconds: SECONDS, warmUpSeconds: 0.5 };
  return (await runLoad({ ...load, request: requests[kind], expectStatus })).p50Ms;
}

/** Each business writes to the next ones, spread over time. Indexes are created afterwards, which is faster. */
async function fill(sql: pg.Client, ids: bigint[], messages: number): Promise<void> {
  const { rows } = await sql.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
      WHERE indrelid IN ('messages'::regclass, 'ledger_entries'::regclass) AND NOT indisprimary`,
  );
  for (const { name } of rows) await sql.query(`DROP INDEX ${name}`);
  await sql.query('CREATE TEMP TABLE ids AS SELECT id, n - 1 AS n FROM unnest($1::bigint[]) WITH ORDINALITY AS i (id, n)', [ids]);
  for (let from = 0; from < messages; from += AT_ONCE) {
    await sql.query(
      `CREATE TEMP TABLE fill AS
       SELECT s.id AS sender, r.id AS recipient, (1700000000000 + i) * 4096 AS position, uuidv7() AS id, uuidv7() AS thread
         FROM generate_series($1::bigint, $2::bigint) i
         JOIN ids s ON s.n = i % $3 JOIN ids r ON r.n = (i * 7 + i / $3) % $3 ORDER BY i`,
      [from, Math.min(messages, from + AT_ONCE) - 1, BUSINESSES],
    );
    await sql.query(
      `INSERT INTO messages (sender_id, id, recipient_id, thread_id, sender, recipient, type, subject, json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, file_count)
       SELECT sender, id, recipient, thread, '{"party":{}}', '{"party":{}}', $1, $2, $3, sha256('json'), 'not_applicable', '[]',
              to_timestamp(position / 4096 / 1000.0), sha256('content'), uuid_send(id) || '\\x000000000000', 0 FROM fill`,
      [TYPE, SUBJECT, JSON.stringify({ order: 'PO-4711', items: 'x'.repeat(70) })],
    );
    await sql.query(
      `INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type)
       SELECT sender, 'out'::ledger_box, position, id, recipient, thread, 'not_applicable'::validation_status, $1 FROM fill
       UNION ALL SELECT recipient, 'in', position, id, sender, thread, 'not_applicable', $1 FROM fill`,
      [TYPE],
    );
    await sql.query('DROP TABLE fill');
    console.error(`· ${Math.min(messages, from + AT_ONCE)} of ${messages} messages`);
  }
  await sql.query(`SET maintenance_work_mem = '1GB'`);
  for (const { name, definition } of rows) {
    await sql.query(definition);
    console.error(`· ${name}`);
  }
  await sql.query('VACUUM ANALYZE messages, ledger_entries');
}

async function someReceipts(sql: pg.Client, messages: number): Promise<string[]> {
  const { rows } = await sql.query<{ token: Buffer }>('SELECT receipt_token AS token FROM messages TABLESAMPLE SYSTEM ($1)', [
    200_000 / messages,
  ]);
  return rows.map(({ token }) => formatReceiptToken(token));
}

async function bytesOf(sql: pg.Client): Promise<string> {
  const { rows } = await sql.query<{ text: string }>(
    `SELECT string_agg(format('%s %s (indexes %s)', relname, pg_size_pretty(pg_total_relation_size(oid)), pg_size_pretty(pg_indexes_size(oid))), ', ') AS text
       FROM pg_class WHERE oid IN ('messages'::regclass, 'ledger_entries'::regclass)`,
  );
  return rows[0]?.text ?? '';
}

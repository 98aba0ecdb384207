import { setTimeout as sleep } from 'node:timers/promises';
import { newAuthority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { measureInboxPages } from './inbox-pages.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { compare, type Reader, readPage, untilFiltered } from './read-pages.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-process.ts';

/**
 * Measures lists of threads and searches in a small and a large inbox, by the API and in a browser, and how soon a message is in the list
 * while others are sent as fast as possible.
 */
const SMALL = { threads: 300, messages: 1_000 };
const LARGE = { threads: 300_000, messages: 1_000_000 };
const FILLED_AT_ONCE = 50_000;
const LOAD_SECONDS = 15;
const CONNECTIONS = 64;
const PROBE_EVERY_MS = 40;

export async function measureThreads(): Promise<void> {
  const service = await startServiceUnderTest(newAuthority());
  try {
    const sender = await service.createBusiness('sender');
    const small = await service.createBusiness('small');
    const large = await service.createBusiness('large');
    console.error('· visibility under load');
    console.table(await visibility(service, sender));
    for (const [reader, { threads, messages }] of [[small, SMALL] as const, [large, LARGE] as const]) {
      console.error(`· ${messages} messages in ${threads} threads`);
      await fill(service, reader, threads, messages);
    }
    await rebuild(service);
    await untilFiltered(service, large, '/threads');
    const cases: [name: string, path: string][] = [
      ['all', '/threads'],
      ['open in the inbox', '/threads?status=open&box=in'],
      ['done (none)', '/threads?status=done'],
      ['unassigned', '/threads?assignee=none'],
      ['unread (none)', '/threads?unread=true'],
      ['a type of every thread', '/threads?type=every'],
      ['a type of one thread', '/threads?type=rare'],
      ['counts', '/threads/counts'],
    ];
    for (const [name, path] of cases) {
      const baseline = { name: `${name}, ${SMALL.messages} messages`, key: small.key, path };
      console.table(await compare(service, baseline, large.key, [[`${name}, ${LARGE.messages} messages`, path]]));
    }
    for (const reader of [small, large]) await buildDocuments(service, reader);
    const plain = { name: `a plain page, ${LARGE.messages} messages`, key: large.key, path: '/inbox?include=summary' };
    const searches: [name: string, path: string][] = [
      ['a word in every message', '/search?q=subject'],
      ['a word in one message of the middle', `/search?q=${LARGE.messages / 2}`],
      ['a word in no message', '/search?q=nowhere'],
      ['a phrase in one message', `/search?q=${encodeURIComponent(`"subject ${LARGE.messages / 4}"`)}`],
      ['a prefix of 111 messages', `/search?q=${LARGE.messages / 1_000 + 1}`],
      ['a type, open', `/search?q=${encodeURIComponent('type:every is:open')}`],
    ];
    console.table(await compare(service, plain, large.key, searches));
    await measureInboxPages(service, { [`${SMALL.messages} messages`]: small, [`${LARGE.messages} messages`]: large });
    console.table((await service.sql.query(SIZES)).rows);
  } finally {
    await service.stop();
  }
}

const SIZES = `SELECT relname, pg_size_pretty(pg_total_relation_size(oid)) AS size,
    round(pg_total_relation_size(oid) / ${LARGE.messages + SMALL.messages}.0) AS bytes_per_message
  FROM pg_class WHERE relname IN ('threads', 'messages', 'ledger_entries', 'committed_batches', 'search_documents') ORDER BY 1`;

/**
 * Inserts rows of a mailbox without a handle that writes to the business. They look older than the index, so that workers read them from
 * the ledger.
 */
async function fill({ sql }: ServiceUnderTest, { id }: Reader, threads: number, messages: number): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO parties (email, display_name, folded_name, accepting_drops) VALUES ('writer-${id}@example.com', 'w', 'w', false) RETURNING id`,
  );
  const uuid = (kind: number, n: string) =>
    `('0000000${kind}-' || substr(lpad(to_hex(${n}), 16, '0'), 1, 4) || '-7000-8000-' || substr(lpad(to_hex(${n}), 16, '0'), 5))::uuid`;
  for (let from = 0; from < messages; from += FILLED_AT_ONCE) {
    const range = `generate_series(${from}, ${Math.min(messages, from + FILLED_AT_ONCE) - 1}) AS n`;
    await sql.query(
      `INSERT INTO messages (sender_id, id, recipient_id, thread_id, sender, recipient, type, subject, json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, file_count)
       SELECT ${rows[0]?.id}, ${uuid(1, 'n')}, ${id}, ${uuid(2, `n % ${threads}`)}, '{"party":{"kind":"mailbox","email":"w@example.com","display_name":"w"},"actor":{"name":"w","email":"w@example.com"}}', '{"party":{"kind":"business","handle":"reader","display_name":"Reader"},"segment":null}', 'every', 'Subject ' || n, '{}',
              sha256('j'), 'not_applicable', '[]', now(), sha256('c'), decode(md5(${id}::text || n), 'hex') || '\\x000000000000', 0 FROM ${range}`,
    );
    await sql.query(
      `INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type)
       SELECT ${id}, 'in', (1700000000000 + n) * 4096, ${uuid(1, 'n')}, ${rows[0]?.id}, ${uuid(2, `n % ${threads}`)}, 'not_applicable',
              CASE n WHEN ${messages - threads + 1} THEN 'rare' ELSE 'every' END FROM ${range}`,
    );
  }
  const head = `(1700000000000 + ${messages})::bigint * 4096`;
  await sql.query(
    `INSERT INTO thread_index (party_id, indexed_through, read_from, rebuilt_through) VALUES (${id}, ${head}, ${head}, '00000000-0000-0000-0000-000000000000')`,
  );
}

async function rebuild({ sql }: ServiceUnderTest): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const { rowCount } = await sql.query('SELECT FROM thread_index WHERE rebuilt_through IS NOT NULL LIMIT 1');
    if (rowCount === 0) break;
    await sleep(200);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`Rebuilt ${LARGE.threads + SMALL.threads} threads from the ledger in ${seconds.toFixed(1)} s.`);
  await sql.query('VACUUM ANALYZE threads, ledger_entries, messages');
}

/** The first search of a business starts its index, which the workers of the service write. */
async function buildDocuments(service: ServiceUnderTest, { id, key }: Reader): Promise<void> {
  const startedAt = performance.now();
  const count = async () => (await service.sql.query('SELECT count(*) FROM search_documents WHERE party_id = $1', [id])).rows[0].count;
  for (let round = 0; ; round++) {
    const { complete } = await readPage(service, key, '/search?q=subject');
    if (complete) break;
    if (round % 20 === 0) console.error(`· ${await count()} messages can be searched`);
    await sleep(500);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`Search: ${await count()} messages in ${seconds.toFixed(1)} s.`);
  await service.sql.query('VACUUM ANALYZE search_documents');
}

/** Measures from the response of a send until its thread has a row. */
async function visibility(service: ServiceUnderTest, sender: Reader): Promise<object> {
  const recipient = await service.createBusiness('recipient');
  const body = `{"to":"recipient","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;
  const request = httpRequest('POST', '/v1/messages', sender.key, body);
  const delays: number[] = [];
  let isOver = false;
  const probe = async () => {
    while (!isOver) {
      const response = await fetch(`http://127.0.0.1:${service.port}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${recipient.key}`, 'content-type': 'application/json' },
        body: '{"to":"sender"}',
      });
      const { id } = (await response.json()) as { id: string };
      const sentAt = performance.now();
      const isThere = async () =>
        (await service.sql.query('SELECT FROM threads WHERE party_id = $1 AND last_message_id = uuid_in_id($2)', [sender.id, id])).rowCount;
      while (!(await isThere())) await sleep(10);
      delays.push(performance.now() - sentAt);
      await sleep(PROBE_EVERY_MS);
    }
  };
  const probes = Promise.all(Array.from({ length: 4 }, probe));
  const load = await runLoad({
    port: service.port,
    connections: CONNECTIONS,
    seconds: LOAD_SECONDS,
    warmUpSeconds: 3,
    request: () => request,
    expectStatus: 201,
  });
  isOver = true;
  await probes;
  delays.sort((a, b) => a - b);
  const quantile = (q: number) => Math.round(delays[Math.floor(delays.length * q)] ?? Number.NaN);
  return {
    'sends /s': Math.round(load.perSecond),
    probes: delays.length,
    'p50 ms': quantile(0.5),
    'p99 ms': quantile(0.99),
    'max ms': Math.round(delays.at(-1) ?? 0),
  };
}

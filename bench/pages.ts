import { TYPE } from './payload.ts';
import { compare, cursorOfPage, type PageResult, type Reader, readPage, untilFiltered } from './read-pages.ts';
import type { ServiceUnderTest } from './service-process.ts';

/** Inserts an inbox directly, with rows like those of real sends: one for each millisecond, nine in ten addressed to a segment. */
export async function fillInbox(
  { sql }: ServiceUnderTest,
  readerId: bigint,
  senderId: bigint,
  messages: number,
  payload: string,
): Promise<void> {
  const values = [readerId, senderId, messages, payload, TYPE];
  await sql.query(
    'CREATE TEMP TABLE fill AS SELECT n, uuidv7() AS id, uuidv7() AS thread_id, (1700000000000 + n) * 4096 AS position FROM generate_series(1, $1::bigint) n',
    [messages],
  );
  await sql.query(
    `INSERT INTO messages (sender_id, id, recipient_id, thread_id, sender, recipient, type, subject, json, json_sha256, validation, validation_errors, received_at, content_hash, receipt_token, segment, file_count)
     SELECT $2, id, $1, thread_id, '{"party":{}}', '{"party":{}}', $5, 'Order ' || n, $4, sha256('json'), 'not_applicable', '[]', to_timestamp(1700000000 + n / 1000.0), sha256('content'), uuid_send(id) || '\\x000000000000', CASE WHEN n % 10 > 0 THEN 'sales' END, 0
       FROM fill WHERE $3::bigint > 0 ORDER BY n`,
    values,
  );
  await sql.query(
    `INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation, type, segment)
     SELECT $1, 'in', position, id, $2, thread_id, 'not_applicable', $3, CASE WHEN n % 10 > 0 THEN 'sales' END FROM fill ORDER BY n`,
    [readerId, senderId, TYPE],
  );
  await sql.query('DROP TABLE fill');
  await sql.query('ANALYZE messages, ledger_entries');
}

/**
 * Measures pages of the large inbox: the first, the 10,000th and one under each filter, as multiples of the first page of the small one.
 */
export async function measurePages(
  service: ServiceUnderTest,
  small: Reader,
  large: Reader,
  sender: string,
  stranger: string,
): Promise<PageResult[]> {
  await untilFiltered(service, large, '/inbox');
  // The long walk comes first, so that caches are warm.
  const deep = await cursorOfPage(service, large.key, '/inbox', 10_000);
  const { thread_id: thread } = (await readPage(service, large.key, '/inbox')).data[0] as { thread_id: string };
  const cases: [name: string, filter: string][] = [
    ['1,000,000: first page', ''],
    ['1,000,000: 10,000th page', `cursor=${deep}`],
    ['since, matching much', 'since=2020-01-01T00:00:00Z'],
    ['since, matching nothing', 'since=2999-01-01T00:00:00Z'],
    ['until, matching much', 'until=2999-01-01T00:00:00Z'],
    ['until, matching nothing', 'until=2020-01-01T00:00:00Z'],
    ['from, matching all', `from=${sender}`],
    ['from, matching nothing', `from=${stranger}`],
    ['from e-mail, matching nothing', 'from=nobody@example.com'],
    ['from domain, matching nothing', 'from=example.com'],
    ['type, matching all', `type=${TYPE}`],
    ['type, matching nothing', 'type=nothing'],
    ['validation, matching all', 'validation=not_applicable'],
    ['validation, matching nothing', 'validation=failed'],
    ['thread, matching one', `thread=${thread}`],
    ['thread, matching nothing', 'thread=thr_01m7erfawsehk9b68mxzm29ta0'],
    ['to a segment, matching nine in ten', 'to=sales'],
    ['to a segment, matching nothing', 'to=nothing'],
  ];
  return compare(
    service,
    { name: '1,000: first page', key: small.key, path: '/inbox' },
    large.key,
    cases.map(([name, filter]) => [name, `/inbox?${filter}`]),
  );
}

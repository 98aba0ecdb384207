import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseId } from '../server/src/contract/ids.ts';
import { newAuthority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-process.ts';
import { type Business, call } from './webhooks.ts';

/**
 * What SQL functions gain by the planner options that they switch off: the rows that each statement reads, with the options as the files have them and with
 * all of them on, in two situations. `grown`: plans are made while tables are small, and kept while they grow, as in the minute until PostgreSQL analyzes a
 * table that begins to fill. `small`: tables were analyzed while one business has nearly all rows, and another business is served.
 */
const SENDERS = 600;
/** Some hundred messages: enough for a first ANALYZE, and few enough for plans that read whole tables. */
const FIRST_SECONDS = 0.1;
const GROWTH_SECONDS = 20;
const MEASURED_SECONDS = 2;
const LEASED = 50;
const FILLED = 10_000;
const FOLLOWED_MS = 5_000;
/** The receiver does not know the secret of this path, and responds 401. */
const REFUSED = '/refused';

interface Reader extends Business {
  handle: string;
  webhookId: string;
}

interface Surroundings {
  service: ServiceUnderTest;
  receiver: Receiver;
  senders: Business[];
}

interface Plan {
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Key: the function and the line of its statement. */
type Counts = Map<string, { statements: number; rows: number }>;

export async function measurePlanner(): Promise<void> {
  const [asWritten, free] = [await countsOf(false), await countsOf(true)];
  const perStatement = (counts: Counts, name: string) => {
    const { statements, rows } = counts.get(name) ?? { statements: 0, rows: 0 };
    return Math.round((rows / statements) * 10) / 10;
  };
  const names = [...new Set([...asWritten.grown.keys(), ...asWritten.small.keys()])].sort();
  console.table(
    names.map((statement) => ({
      statement,
      grown: perStatement(asWritten.grown, statement),
      'grown, all options': perStatement(free.grown, statement),
      small: perStatement(asWritten.small, statement),
      'small, all options': perStatement(free.small, statement),
    })),
  );
}

async function countsOf(isFree: boolean): Promise<{ grown: Counts; small: Counts }> {
  const authority = newAuthority();
  const receiver = await startReceiver(authority);
  const service = await startServiceUnderTest(authority);
  const set = async (...settings: string[]) => {
    for (const setting of settings) await service.sql.query(`ALTER SYSTEM SET ${setting}`);
    await service.sql.query('SELECT pg_reload_conf()');
  };
  try {
    console.error(`· ${isFree ? 'all planner options on' : 'functions as written'}`);
    if (isFree) await switchOptionsOn(service);
    await set("session_preload_libraries = 'auto_explain'", 'autovacuum = off');
    await service.sql.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
    await sleep(FOLLOWED_MS);
    await service.sql.query("LOAD 'auto_explain'");
    await set(
      'auto_explain.log_analyze = on',
      'auto_explain.log_timing = off',
      'auto_explain.log_nested_statements = on',
      'auto_explain.log_format = json',
    );
    const log = path.join(service.dataFolder, 'postgres.log');
    const countsDuring = async (...given: Parameters<typeof exercise>): Promise<Counts> => {
      const from = statSync(log).size;
      await set('auto_explain.log_min_duration = 0');
      await exercise(...given);
      await set('auto_explain.log_min_duration = -1');
      return countsIn(log, from);
    };
    const surroundings = await prepare(service, receiver);
    const reader = await addReader(surroundings, 'reader');
    await exercise(surroundings, reader, FIRST_SECONDS);
    await service.sql.query('ANALYZE');
    await exercise(surroundings, reader, FIRST_SECONDS);
    await exercise(surroundings, reader, GROWTH_SECONDS);
    await fill(surroundings, reader);
    const grown = await countsDuring(surroundings, reader, MEASURED_SECONDS);
    const small = await addReader(surroundings, 'small');
    await service.sql.query('ANALYZE');
    return { grown, small: await countsDuring(surroundings, small, FIRST_SECONDS) };
  } finally {
    await service.stop();
    await receiver.stop();
  }
}

/** Reads the plans in a log: each is JSON in lines that begin with a tab, and the function stands in the context after it. */
async function countsIn(file: string, start: number): Promise<Counts> {
  const counts: Counts = new Map();
  let plan: string | undefined;
  let isPlan = false;
  for await (const line of createInterface({ input: createReadStream(file, { encoding: 'utf8', start }) })) {
    if (!line.startsWith('\t')) isPlan = false;
    if (/ plan:$/.test(line)) {
      plan = '';
      isPlan = true;
    } else if (isPlan) plan += line;
    // The first function of the context has the statement. Others have called it.
    const [, name, at] = /PL\/pgSQL function (?:\w+\.)?(\w+)\(.*?\) line (\d+)/.exec(line) ?? [];
    if (name === undefined || !plan || isPlan) continue;
    const key = `${name} ${at}`;
    const count = counts.get(key) ?? { statements: 0, rows: 0 };
    count.statements++;
    count.rows += rowsRead((JSON.parse(plan) as { Plan: Plan }).Plan);
    counts.set(key, count);
    plan = undefined;
  }
  return counts;
}

function rowsRead(plan: Plan): number {
  const own = (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const below = (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);
  return below + (plan['Relation Name'] === undefined ? 0 : own * (plan['Actual Loops'] ?? 0));
}

async function switchOptionsOn({ sql }: ServiceUnderTest): Promise<void> {
  const { rows } = await sql.query<{ change: string }>(
    `SELECT 'ALTER FUNCTION ' || oid::regprocedure || ' RESET ' || split_part(o, '=', 1) AS change FROM pg_proc, unnest(proconfig) AS o WHERE o LIKE 'enable_%'`,
  );
  for (const { change } of rows) await sql.query(change);
}

async function prepare(service: ServiceUnderTest, receiver: Receiver): Promise<Surroundings> {
  const senders: Business[] = [];
  for (let n = 0; n < SENDERS; n++) senders.push(await service.createBusiness(`sender-${n}`));
  return { service, receiver, senders };
}

async function addReader({ service, receiver }: Surroundings, handle: string): Promise<Reader> {
  const [reader, orderly] = [await service.createBusiness(handle), await service.createBusiness(`${handle}-in-order`)];
  const register = async ({ key }: Business, path: string, settings: object) => {
    const response = await call(service, key, 'POST', '/webhooks', { url: receiver.url(path), ...settings });
    const { id, secret } = (await response.json()) as { id: string; secret: string };
    if (path !== REFUSED) receiver.learn(path, secret);
    return id;
  };
  const webhookId = await register(reader, `/${handle}`, {});
  await register(reader, REFUSED, { events: ['message.received', 'message.sent'] });
  await register(orderly, `/${handle}-in-order`, { ordered: true });
  await call(service, reader.key, 'PUT', '/consumers/plain', { start: 'beginning', max_tries: 1 });
  await call(service, reader.key, 'PUT', '/consumers/busy', { start: 'beginning' });
  await call(service, reader.key, 'PUT', '/consumers/ordered', { start: 'beginning', ordered: true });
  return { ...reader, handle, webhookId };
}

/** Fills tables that sends do not fill, and lets the webhook that refuses begin again. */
async function fill({ service }: Surroundings, reader: Reader): Promise<void> {
  const { sql } = service;
  const rows = `generate_series(1, ${FILLED}) n`;
  for (const statement of [
    `INSERT INTO blocks (party_id, id, email_domain) SELECT $1, gen_random_uuid(), 'host-' || n || '.test' FROM ${rows}`,
    `INSERT INTO people (id, email, email_verified, name) SELECT gen_random_uuid(), 'p' || n || '@firm.test', true, 'P' FROM ${rows}`,
    `INSERT INTO verified_domains (domain, party_id) SELECT 'firm-' || n || '.test', -n FROM ${rows}`,
    `INSERT INTO parties (email, display_name, folded_name) SELECT 'p' || n || '@firm.test', 'P' || n, 'p' || n FROM ${rows}`,
    `INSERT INTO contacts (party_id, other_id, id) SELECT $1, id, gen_random_uuid() FROM parties WHERE email LIKE '%@firm.test'`,
    `INSERT INTO contact_names (party_id, other_id, name, grams) SELECT $1, id, folded_name, CASE WHEN id % 100 > 0 THEN ARRAY[1] END FROM parties WHERE email LIKE '%@firm.test'`,
    `INSERT INTO objects (party_id, id, size_bytes) SELECT $1, gen_random_uuid(), 1 FROM ${rows}`,
    `INSERT INTO files (party_id, id, message_id, ordinal, owner_id, object_id, filename, content_type)
     SELECT party_id, gen_random_uuid(), gen_random_uuid(), 1, party_id, id, 'a.txt', 'text/plain' FROM objects`,
  ]) {
    await sql.query(statement, statement.includes('$1') ? [reader.id] : []);
  }
  for (let n = 0; n < 60; n++) await call(service, reader.key, 'POST', '/consumers/busy/lease', { limit: 100, lease_s: 600 });
  await sql.query('UPDATE webhooks SET active = true, pause_reason = NULL, paused_at = NULL, failures = 0');
}

/** Everything that calls such a function: sends under load first, then the rest, a few times. */
async function exercise({ service, senders }: Surroundings, reader: Reader, seconds: number): Promise<void> {
  const since = new Date(Date.now() - 60_000).toISOString();
  let sent = 0;
  const send = () => {
    const { key } = senders[sent++ % senders.length] as Business;
    return httpRequest(
      'POST',
      '/v1/messages',
      key,
      `{"to":"${sent % 4 === 0 ? `${reader.handle}-in-order` : reader.handle}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`,
    );
  };
  await runLoad({ port: service.port, connections: 32, seconds, warmUpSeconds: 0, request: send, expectStatus: 201 });
  await sleep(FOLLOWED_MS);
  const ask = async (method: string, path: string, body?: unknown) => (await call(service, reader.key, method, path, body)).json();
  const { data: inbox } = (await ask('GET', '/inbox?limit=20')) as { data: { id: string; thread_id: string }[] };
  const { sql } = service;
  // As if people of verified domains had sent them, so that each reply looks for its notice.
  await sql.query("INSERT INTO verified_domains (domain, party_id) SELECT 'people.test', $1 ON CONFLICT DO NOTHING", [senders[0]?.id]);
  await sql.query(
    "UPDATE ledger_entries SET from_email = 'a@people.test', from_domain = 'people.test' WHERE box = 'out' AND message_id = ANY ($1::uuid[])",
    [inbox.map(({ id }) => parseId('msg', id))],
  );
  for (const { id, thread_id } of inbox) {
    await ask('POST', '/messages', { in_reply_to: id, type: TYPE, subject: 'Confirmed' });
    await ask('POST', `/messages/${id}/acknowledge`, { status: 'accepted' });
    await ask('POST', `/threads/${thread_id}/comments`, { text: 'As agreed' });
    await ask('GET', '/search?q=4711&limit=1');
    await ask('GET', '/contacts?q=sender-17');
    for (const name of ['plain', 'ordered']) await work(ask, name);
  }
  for (let n = 0; n < 10; n++) await ask('POST', '/contacts', { handle: `sender-${n}`, label: `Nr. ${sent}` });
  await ask('POST', `/webhooks/${reader.webhookId}/recover`, { since, only: 'missing' }).catch(() => undefined);
  for (let n = 0; n < 10; n++) {
    await sql.query(
      'SELECT rebuild_threads(t.party_id, ARRAY[t.thread_id]) FROM threads t WHERE t.party_id = $1 ORDER BY last_position DESC LIMIT 1',
      [reader.id],
    );
    await sql.query('SELECT rebuild_contacts($1, ARRAY(SELECT thread_id FROM threads WHERE party_id = $1 LIMIT 1))', [reader.id]);
    await sql.query('SELECT index_contacts($1, 2)', [reader.id]);
    await sql.query(
      'UPDATE ledgers SET filters_left = (SELECT max(position) FROM ledger_entries WHERE party_id = $1) WHERE party_id = $1',
      [reader.id],
    );
    await sql.query('SELECT filter_entries($1, 5)', [reader.id]);
    await sql.query("UPDATE thread_index SET filtered_through = '00000000-0000-0000-0000-000000000000' WHERE party_id = $1", [reader.id]);
    await sql.query('SELECT filter_threads($1, 5)', [reader.id]);
    await sql.query("SELECT record_hash(coalesce((SELECT id FROM objects WHERE sha256 IS NULL LIMIT 1), gen_random_uuid()), '\\x00')");
    await sql.query("SELECT is_blocked($1, $1, 'agent', 'a@b.test', 'b.test')", [reader.id]);
  }
  await sleep(FOLLOWED_MS);
}

async function work(ask: (method: string, path: string, body?: unknown) => Promise<unknown>, name: string): Promise<void> {
  const at = `/consumers/${name}`;
  const { data } = (await ask('POST', `${at}/lease`, { limit: LEASED, lease_s: 60 })) as { data: { message: { id: string } }[] };
  const ids = data.map(({ message }) => message.id);
  if (ids.length < 5) return;
  await ask('POST', `${at}/extend`, { ids: ids.slice(0, 10), lease_s: 60 });
  await ask('POST', `${at}/release`, { ids: ids.slice(0, 4), delay_s: 0 });
  await ask('POST', `${at}/ack`, { ids: ids.slice(4) });
  await ask('POST', `${at}/lease`, { limit: LEASED, lease_s: 60 });
  if (name === 'plain') await ask('POST', `${at}/unpark`, { ids: ids.slice(0, 4) });
  await ask('POST', `${at}/seek`, { position: 'now' });
  await ask('POST', `${at}/seek`, { position: 'beginning' });
}

import { parseId } from '../../../src/contract/ids.ts';
import { FILES_PER_MESSAGE_MAX, PAGE_MAX_ITEMS, SCHEMA_MAX_BYTES } from '../../../src/contract/limits.ts';
import { copyMessage } from '../copied-messages.ts';
import { sendFormData } from '../form.ts';
import { hostileJson } from '../hostile-json.ts';
import { untilSearchable } from '../search.ts';
import type { TestBusiness, TestService } from '../service.ts';
import { han, LONGEST_COMMENT, LONGEST_NAMES, LONGEST_NOTE, NAME_OF_LONG_WORDS } from './texts.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
type Sent = any;

/** Data of a business that is as large as the limits allow. */
export interface Full {
  globex: TestBusiness;
  /** A message with the most files, whose names are as long as possible. */
  withFiles: Sent;
  withJson: Sent[];
  /** The first message of a thread with 2,000 messages. */
  ofLongThread: Sent;
  schema: object;
}

export function filesForm(to: string, name: string): FormData {
  const form = new FormData();
  form.set('to', to);
  for (let i = 0; i < FILES_PER_MESSAGE_MAX; i++) form.append('file', new File(['x'], name));
  return form;
}

/** A schema of the largest size, with many parts. */
function largestSchema(): object {
  const properties = Object.fromEntries(Array.from({ length: 2_600 }, (_, i) => [`${han(20)}${i}`, { type: ['object', 'array'] }]));
  const schema = { type: ['object', 'array', 'string', 'number'], properties };
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_MAX_BYTES) throw new Error('the schema is too large');
  return schema;
}

/** Copies rows of a table with some changed values, which may use the number n of the copy. */
export function copies({ sql }: TestService, table: string, where: string, times: number, changes: string): Promise<unknown> {
  return sql(
    `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object(${changes}))).* FROM ${table} t, generate_series(1, ${times}) n WHERE ${where}`,
  );
}

/** The sender is acme. Much of the data is copied, because sending that many bytes would take minutes. */
export async function fill(service: TestService, acme: TestBusiness): Promise<Full> {
  const globex = await service.business('globex', { segment: 'orders', claimed: true });
  await service.sql(`UPDATE parties SET display_name = repeat('漢', 100), folded_name = repeat('漢', 100) WHERE handle = 'globex'`);
  const send = async (message: object | string) => (await acme.api.send(message)).body;
  const ofLongThread = await send({ to: 'globex', subject: han(200), note: 'x'.repeat(10_000), json: { a: 'y'.repeat(3_000) } });
  await send({ to: 'globex', subject: han(200), note: LONGEST_NOTE, json: { a: han(1_000) } });
  await copyMessage(service, ofLongThread.id, 2_000);
  let withFiles: Sent;
  for (const name of [NAME_OF_LONG_WORDS, ...LONGEST_NAMES])
    for (let i = 0; i < 10; i++) withFiles = (await sendFormData(acme.api, filesForm('globex', name))).body;
  const withJson: Sent[] = [];
  for (const [, json] of hostileJson) withJson.push(await send(`{"to":"globex","json":${json}}`));
  await untilSearchable(service);
  await globex.api.write('POST', `/threads/${withFiles.thread_id}/comments`, { text: LONGEST_COMMENT, mentions: [globex.agentId] });
  const ofThread = `thread_id = '${parseId('thr', withFiles.thread_id)}'`;
  await copies(service, 'thread_comments', ofThread, PAGE_MAX_ITEMS, `'id', gen_random_uuid()`);
  await service.sql(`SELECT queue_search_threads(party_id, ARRAY[thread_id]) FROM threads WHERE ${ofThread}`);
  await untilSearchable(service);
  await fillLists(service, globex);
  return { globex, withFiles, withJson, ofLongThread, schema: largestSchema() };
}

/** Fills the lists that a business, or others for it, can extend. */
async function fillLists(service: TestService, { api, agentId }: TestBusiness): Promise<void> {
  await api.write('POST', '/contacts', { handle: 'acme', label: han(200), notes: han(10_000) });
  await service.sql(
    `WITH others AS (INSERT INTO parties (domain, display_name, folded_name)
                     SELECT 'contact-' || n || '.example', repeat('漢', 100), repeat('漢', 100) FROM generate_series(1, ${PAGE_MAX_ITEMS}) n RETURNING id)
     INSERT INTO contacts (party_id, other_id, id, saved_at, label, folded_label, notes)
     SELECT c.party_id, o.id, gen_random_uuid(), now(), c.label, c.folded_label, c.notes FROM others o, contacts c WHERE c.notes <> ''`,
  );
  await copies(
    service,
    'agents',
    `t.id = '${parseId('agt', agentId)}'`,
    199,
    `'id', gen_random_uuid(), 'name', repeat('漢', 100), 'description', repeat('漢', 500)`,
  );
  await copies(service, 'notifications', 'true', 999, `'id', gen_random_uuid(), 'by_name', repeat('漢', 100)`);
  await service.sql(
    `INSERT INTO blocks (party_id, id, email_domain) SELECT p.id, gen_random_uuid(), repeat('x', 60) || n || '.example' FROM parties p, generate_series(1, 9000) n WHERE p.handle = 'globex'`,
  );
}

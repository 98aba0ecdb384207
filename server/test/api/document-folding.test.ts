import { DOCUMENT_TYPES, messageDocument, threadDocument } from '@waybill/documents';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { threadOf, untilDocumentsRead } from '../support/threads.ts';

/** The thread index adds new documents to a thread in SQL, and the worker adds up all of them in TypeScript. Both say the same. */
let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const TYPES = [...DOCUMENT_TYPES.map(({ type }) => type), 'invoice.dispute', 'rechnung', null];
const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
/** A walk through all types and sets of facts, the same in each run. */
const messages = Array.from({ length: 900 }, (_, n) => {
  const pick = (of: number) => Math.floor(((n * 2_654_435_761) % 4_294_967_296) / 7 ** of);
  const type = TYPES[pick(0) % TYPES.length] ?? null;
  const json = {
    ...(pick(1) % 3 && { number: `N-${n}`, invoiceNumber: `N-${n}` }),
    ...(pick(2) % 3 && { total: `${n}.10` }),
    ...(pick(3) % 2 && { currency: 'EUR' }),
    ...(pick(4) % 2 && { due_date: '2026-12-24' }),
    ...(pick(5) % 4 && { status: ['accepted', 'changed', 'rejected'][pick(6) % 3] }),
  };
  return { id: uuid(n), type, document: messageDocument(type, JSON.stringify(json)) };
}).filter(({ document }) => document !== undefined);
const AFTER = `SELECT d.state::text, d.type, d.number, d.total::text, d.currency, d.due_date::text, d.rank, d.through
                 FROM thread_document_after($1::thread_document, $2::uuid[], $3::text[], $4::text[]) AS d`;
const foldedAfter = async (before: string | null, some: typeof messages) => {
  const documents = some.map(({ document }) => {
    const { dueDate, ...rest } = document ?? { rank: 2 };
    return JSON.stringify({ ...rest, due_date: dueDate });
  });
  const [row] = await service.sql<Record<string, string | null>>(AFTER, [
    before,
    some.map(({ id }) => id),
    some.map(({ type }) => type),
    documents,
  ]);
  return row ?? {};
};

test('say the same of a thread, whatever its messages, and however they come in parts', async () => {
  for (let from = 0; from + 6 < messages.length; from += 3) {
    const some = messages.slice(from, from + 1 + ((from / 3) % 6));
    const expected = threadDocument(some.map(({ type, document }) => ({ ...document, type })));
    const like = expected && {
      state: expected.state ?? 'none',
      type: expected.type,
      number: expected.number,
      total: expected.total,
      currency: expected.currency,
      due_date: expected.dueDate,
      rank: expected.rank,
      through: some.at(-1)?.id,
    };
    expect(await foldedAfter(null, some)).toEqual(like);
    const first = await foldedAfter(null, some.slice(0, 1));
    const quoted = Object.values(first).map((value) => (value === null ? '' : `"${value}"`));
    expect(await foldedAfter(`(${quoted.join()})`, some)).toEqual(like);
  }
});

test('a message that a newer one has overtaken is added up in its place', async () => {
  const order = (await acme.api.send({ to: 'globex', type: 'order', json: { number: 'PO-1' } })).body;
  await acme.api.send({ in_reply_to: order.id, type: 'order.change', json: { number: 'PO-1-1' } });
  await untilDocumentsRead(service);
  // As if the despatch had been prepared before a message that was indexed already.
  await service.sql(`UPDATE threads SET document_through = 'ffffffff-ffff-7fff-bfff-ffffffffffff' WHERE document_number = 'PO-1-1'`);
  await globex.api.send({ in_reply_to: order.id, type: 'despatch', json: { number: 'DN-1' } });
  await untilDocumentsRead(service);
  for (const { api } of [acme, globex])
    expect((await threadOf(api, order.thread_id))?.document).toMatchObject({ state: 'despatched', number: 'DN-1' });
});

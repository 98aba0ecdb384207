import { setTimeout as sleep } from 'node:timers/promises';
import { documentFacts, documentType, type ThreadMessage, threadDocument } from '@waybill/documents';
import { expect, test } from 'vitest';
import { runProgram, until } from '../support/process.ts';
import { createDatabase, startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { untilDocumentsRead } from '../support/threads.ts';
import { startWorker } from '../support/webhook-workers.ts';

const unlimited = { NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', MONTHLY_MESSAGE_LIMIT: '0' };

interface Row {
  party_id: string;
  thread_id: string;
  shown: unknown[];
  messages: { type: string | null; json: string | null; acknowledged: ThreadMessage['acknowledged'] }[];
}

/** Threads whose document is not what their messages say, in the order of their ids. */
async function wrongDocuments({ sql }: TestService): Promise<unknown[]> {
  const rows = await sql<Row>(
    `SELECT t.party_id, t.thread_id,
            json_build_array(t.document_state, t.document_number, t.document_total::text, t.document_due::text) AS shown,
            (SELECT json_agg(json_build_object('type', m.type, 'json', m.json, 'acknowledged',
                      (SELECT a.status FROM acknowledgements a WHERE a.party_id = t.party_id AND a.message_id = m.id ORDER BY a.number DESC LIMIT 1)) ORDER BY m.id)
               FROM (SELECT DISTINCT e.message_id FROM ledger_entries e WHERE e.party_id = t.party_id AND e.thread_id = t.thread_id) e
               JOIN messages m ON m.id = e.message_id) AS messages
       FROM threads t`,
  );
  return rows.flatMap(({ shown, messages, ...key }) => {
    const read = messages.flatMap(({ type, json, acknowledged }): ThreadMessage[] => {
      const facts = json === null ? {} : documentFacts(type, json);
      return documentType(type ?? '') || facts.number !== undefined ? [{ type, acknowledged, ...facts }] : [];
    });
    const document = threadDocument(read);
    const expected = document ? [document.state ?? 'none', document.number, document.total, document.dueDate] : [null, null, null, null];
    return JSON.stringify(shown) === JSON.stringify(expected) ? [] : [{ ...key, shown, expected }];
  });
}

/** Purchases that go on until they are stopped. Both sides write at the same time, and some messages have no document. */
function trade(acme: TestBusiness, globex: TestBusiness, speakers: number) {
  let sent = 0;
  let isOver = false;
  const speak = async (): Promise<void> => {
    while (!isOver) {
      const number = ++sent;
      const order = (
        await acme.api.send({ to: 'globex', type: 'order', json: { number: `PO-${number}`, total: `${number}.50`, currency: 'EUR' } })
      ).body;
      await Promise.all([
        globex.api.send({ in_reply_to: order.id, type: 'order.confirmation', json: { number: `OC-${number}`, status: 'accepted' } }),
        acme.api.send({ in_reply_to: order.id, type: 'order.change', json: { number: `PO-${number}-1` } }),
        globex.api.write('POST', `/messages/${order.id}/acknowledge`, { status: 'accepted' }),
      ]);
      await acme.api.send({ in_reply_to: order.id, note: 'Thanks!' });
      if (number % 2)
        await globex.api.send({
          in_reply_to: order.id,
          type: 'invoice',
          json: { number: `R-${number}`, payable: 7, due_date: '2026-12-24' },
        });
    }
  };
  const done = Promise.all(Array.from({ length: speakers }, speak));
  return {
    sent: () => sent,
    stop: async () => {
      isOver = true;
      await done;
    },
  };
}

test('after kill -9 of one worker after the other, documents of threads are right, the same for both parties, and `waybill reindex` writes them again', async ({
  onTestFinished,
}) => {
  const databaseUrl = await createDatabase();
  const service = await startTestService({ DATABASE_URL: databaseUrl, ...unlimited }, 'api');
  onTestFinished(() => service.stop());
  const [acme, globex] = [await service.business('acme'), await service.business('globex')];
  const load = trade(acme, globex, 4);
  for (let round = 0; round < 3; round++) {
    const worker = await startWorker(databaseUrl);
    const before = load.sent();
    await until(() => load.sent() > before + 20);
    await sleep(150 + 97 * round);
    await worker.stop('SIGKILL');
  }
  const workers = [await startWorker(databaseUrl), await startWorker(databaseUrl)];
  for (const worker of workers) onTestFinished(async () => void (await worker.stop()));
  await load.stop();
  await untilDocumentsRead(service);
  expect(await wrongDocuments(service)).toEqual([]);
  const differing = `SELECT FROM threads a JOIN threads b ON b.thread_id = a.thread_id
                      WHERE (a.document_state, a.document_number, a.document_total) IS DISTINCT FROM (b.document_state, b.document_number, b.document_total)`;
  expect(await service.sql(differing)).toEqual([]);

  await service.sql(`UPDATE threads SET document_state = 'paid', document_number = 'wrong', document_total = NULL`);
  await service.sql('DELETE FROM document_facts WHERE thread_id IN (SELECT thread_id FROM threads ORDER BY thread_id LIMIT 5)');
  await service.sql(`INSERT INTO document_facts (party_id, thread_id, message_id, number, is_filtered)
                     SELECT party_id, thread_id, gen_random_uuid(), 'of nobody', false FROM threads`);
  const { code, stderr } = await runProgram('cli', { env: { DATABASE_URL: databaseUrl }, args: ['reindex'] });
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/^\[#+\] 100 % .* threads with documents$/m);
  await untilDocumentsRead(service);
  expect(await wrongDocuments(service)).toEqual([]);
});

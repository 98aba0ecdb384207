import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { dropped } from '../support/drops.ts';
import { wrongContacts, wrongThreads } from '../support/followed.ts';
import { ids } from '../support/pages.ts';
import { signInWithCode } from '../support/people.ts';
import { runProgram, until } from '../support/process.ts';
import { search, untilSearchable } from '../support/search.ts';
import { createDatabase, startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { threadOf, threadsOf, untilIndexed } from '../support/threads.ts';
import { startWorker } from '../support/webhook-workers.ts';

const unlimited = { NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', MONTHLY_MESSAGE_LIMIT: '0' };

/** Entries of businesses without a search document, and documents without an entry. */
async function wrongDocuments({ sql }: TestService): Promise<unknown[]> {
  return sql(
    `SELECT e.message_id, d.id
       FROM (SELECT e.* FROM ledger_entries e JOIN parties p ON p.id = e.party_id AND p.handle IS NOT NULL WHERE e.box = 'out' OR e.counterparty_id <> e.party_id) e
       FULL JOIN (SELECT * FROM search_documents WHERE box IS NOT NULL) d ON d.party_id = e.party_id AND d.position = e.position AND d.id = e.message_id
      WHERE e.message_id IS NULL OR d.id IS NULL OR position(' thr ' || split_part(public_id('thr', e.thread_id), '_', 2) || ' ' IN d.words) = 0`,
  );
}

/** Senders that begin threads and reply in them until they are stopped. */
function converse(acme: TestBusiness, globex: TestBusiness, speakers: number) {
  let sent = 0;
  let isOver = false;
  const speak = async (): Promise<void> => {
    while (!isOver) {
      let last = (await acme.api.send({ to: 'globex', subject: `Talk ${sent}` })).body;
      for (let n = 0; n < 4 && !isOver; n++) {
        last = (await (n % 2 ? acme : globex).api.send({ in_reply_to: last.id, ...(n === 2 && { subject: 'Later' }) })).body;
        sent++;
      }
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

describe('the thread index', () => {
  test('after kill -9 of one worker after the other under load, every thread and every contact is right, and every message can be found', async ({
    onTestFinished,
  }) => {
    const databaseUrl = await createDatabase();
    const service = await startTestService({ DATABASE_URL: databaseUrl, ...unlimited }, 'api');
    onTestFinished(() => service.stop());
    const [acme, globex] = [await service.business('acme'), await service.business('globex')];
    const load = converse(acme, globex, 8);
    // Readers of contacts follow the same ledgers at the same time.
    let isOver = false;
    const reading = (async () => {
      while (!isOver) expect((await globex.api.get('/contacts')).status).toBe(200);
    })();
    for (let round = 0; round < 4; round++) {
      const worker = await startWorker(databaseUrl);
      const before = load.sent();
      await until(() => load.sent() > before + 100);
      await sleep(150 + 97 * round);
      await worker.stop('SIGKILL');
    }
    const workers = [await startWorker(databaseUrl), await startWorker(databaseUrl)];
    for (const worker of workers) onTestFinished(async () => void (await worker.stop()));
    const before = load.sent();
    await until(() => load.sent() > before + 100);
    await load.stop();
    isOver = true;
    await reading;
    await untilIndexed(service);
    expect(await wrongThreads(service)).toEqual([]);
    expect(await wrongContacts(service)).toEqual([]);
    expect((await threadsOf(globex.api, { limit: 200 })).length).toBeGreaterThan(50);
    await untilSearchable(service);
    expect(await wrongDocuments(service)).toEqual([]);
  });

  test('is read again from the ledgers by `waybill reindex`, which keeps what the business has decided', async ({ onTestFinished }) => {
    const databaseUrl = await createDatabase();
    const service = await startTestService({ DATABASE_URL: databaseUrl, ...unlimited });
    onTestFinished(() => service.stop());
    const [acme, globex] = [await service.business('acme'), await service.business('globex')];
    const load = converse(acme, globex, 4);
    await until(() => load.sent() > 200);
    await load.stop();
    await untilIndexed(service);
    const [{ id }] = await threadsOf(globex.api);
    await globex.api.patch(`/threads/${id}`, { status: 'done', assignee: 'me', labels: ['kept'] });
    await globex.api.write('POST', `/threads/${id}/comments`, { text: 'kept' });
    await globex.api.write('POST', `/threads/${id}/read`, {});
    const before = await threadsOf(globex.api);
    await service.sql("UPDATE threads SET message_count = 99, subject = 'wrong', in_count = 7");
    await service.sql('DELETE FROM threads WHERE thread_id IN (SELECT thread_id FROM threads ORDER BY thread_id LIMIT 5)');
    expect(await wrongThreads(service)).not.toEqual([]);
    await untilSearchable(service);
    await service.sql('DELETE FROM search_documents WHERE position % 2 = 0 OR box IS NULL');
    await service.sql("UPDATE search_documents SET words = ' wrong '");
    const talk = converse(acme, globex, 1);
    const { code, stdout, stderr } = await runProgram('cli', { env: { DATABASE_URL: databaseUrl }, args: ['reindex'] });
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^Read \d+ threads from the ledgers\.$/m);
    expect(stderr).toMatch(/^\[#+\] 100 % /m);
    await talk.stop();
    await untilIndexed(service);
    await until(async () => (await wrongThreads(service)).length === 0);
    const after = await threadsOf(globex.api);
    expect(after.filter((thread) => ids(before).includes(thread.id))).toEqual(before);
    expect((await globex.api.get(`/threads/${id}/comments`)).body.data).toHaveLength(1);
    await untilSearchable(service);
    expect(await wrongDocuments(service)).toEqual([]);
    expect((await search(globex.api, 'wrong')).length).toBe(0);
    expect((await search(globex.api, 'kept')).map(({ comment }) => comment.text)).toEqual(['kept']);
  });

  test('reads ledgers that are older than it, whose messages count as read', async ({ onTestFinished }) => {
    const databaseUrl = await createDatabase();
    const first = await startTestService({ DATABASE_URL: databaseUrl, ...unlimited }, 'api');
    const [acme, globex] = [await first.business('acme'), await first.business('globex')];
    const { thread_id, id } = (await acme.api.send({ to: 'globex', subject: 'Old' })).body;
    // The migration leaves the table empty.
    await first.sql('DELETE FROM committed_batches');
    await first.sql(
      `INSERT INTO thread_index (party_id, indexed_through, read_from, rebuilt_through)
       SELECT party_id, head, head, '00000000-0000-0000-0000-000000000000' FROM ledgers l JOIN parties p ON p.id = l.party_id WHERE p.handle IN ('acme', 'globex')`,
    );
    // Without a worker, a request for a thread indexes it at once.
    expect((await globex.api.get(`/threads/${thread_id}`)).body.state).toMatchObject({ subject: 'Old', unread_count: 0 });
    await first.stop();
    const service = await startTestService({ DATABASE_URL: databaseUrl, ...unlimited });
    onTestFinished(() => service.stop());
    const apiOf = ({ secret }: TestBusiness) => new Api(service.url, secret);
    await until(async () => (await threadOf(apiOf(acme), thread_id))?.subject === 'Old');
    await apiOf(acme).send({ in_reply_to: id });
    await until(async () => (await threadOf(apiOf(globex), thread_id))?.unread_count === 1);
    expect(await wrongThreads(service)).toEqual([]);
  });

  test('has the thread of somebody who has joined a business since', async ({ onTestFinished }) => {
    const service = await startTestService(unlimited);
    onTestFinished(() => service.stop());
    const acme = await service.business('acme');
    const person = await signInWithCode(service, 'ann@wood-works.test');
    const drop = await dropped(person, { to: 'acme', subject: 'From before' });
    await acme.api.send({ in_reply_to: drop.id, note: 'a reply' });
    await untilIndexed(service);
    expect(await threadOf(acme.api, drop.thread_id)).toMatchObject({ with: { kind: 'domain' }, message_count: 2 });
    expect((await person.post('/v1/businesses', { handle: 'woodworks', display_name: 'Wood' })).status).toBe(201);
    const member = { get: async (path: string) => person.request('GET', `/v1${path}`, { headers: { 'waybill-business': 'woodworks' } }) };
    await until(async () => (await threadOf(member, drop.thread_id))?.message_count === 2);
    expect(await threadOf(member, drop.thread_id)).toMatchObject({ subject: 'From before', with: { handle: 'acme' } });
    await untilIndexed(service);
    expect(await wrongThreads(service)).toEqual([]);
  });
});

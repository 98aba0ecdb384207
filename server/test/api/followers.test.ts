import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { awaitRounds } from '../../src/modules/following/following.ts';
import { SCHEMA_FOLDERS } from '../../src/platform/migrations/migrate.ts';
import { known, saved } from '../support/contacts.ts';
import { followAll, wrapFollower, wrongContacts, wrongThreads } from '../support/followed.ts';
import { until } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { lockingWith } from '../support/sql-locks.ts';
import { threadsOf, untilIndexed } from '../support/threads.ts';

const MIGRATION = readFileSync(path.join(SCHEMA_FOLDERS.migrations, '0037_followers_behind_the_commit.sql'), 'utf8');

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

async function start(role: 'api' | 'all'): Promise<void> {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' }, role);
  onTestFinished(() => service.stop());
  [acme, globex] = [await service.business('acme'), await service.business('globex')];
}

const send = async (type: string) => {
  const { status, body, text } = await acme.api.send({ to: 'globex', type, subject: type });
  expect(status, text).toBe(201);
  return body;
};
const activity = async (of: TestBusiness, about: TestBusiness) => (await known(of.api, about.handle)).activity;
const failures = () =>
  service.sql<{ types: string[] }>('SELECT ARRAY(SELECT e.type FROM unnest(entries) AS e) AS types FROM follower_failures');
const retryNow = () => service.sql('UPDATE follower_failures SET next_at = now()');

describe('a follower that fails', () => {
  beforeEach(() => start('all'));

  test('delays no other follower, no send and, in the end, no other entry; once it works again, each entry has counted once', async () => {
    const repair = await wrapFollower(
      service,
      'follow_contacts',
      `IF EXISTS (SELECT FROM unnest(entries) AS e WHERE e.type = 'poison') THEN RAISE 'not this one'; END IF;`,
    );
    await Promise.all(['order', 'order', 'poison', 'order', 'order', 'invoice'].map(send));
    await untilIndexed(service);
    expect(await threadsOf(globex.api)).toHaveLength(6);
    expect(await wrongThreads(service)).toEqual([]);
    expect(await failures()).not.toEqual([]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^waybill_followers_failures [1-9]/m);
    expect(metrics).toMatch(/^waybill_followers_waiting_seconds [0-9.]+$/m);

    await until(async () => {
      await retryNow();
      return (await failures()).every(({ types }) => types.length === 1 && types[0] === 'poison');
    });
    expect(await activity(globex, acme)).toMatchObject({ messages_in: 5, types: ['invoice', 'order'] });
    await send('later');
    expect(await activity(globex, acme)).toMatchObject({ messages_in: 6 });

    await repair();
    await until(async () => {
      await retryNow();
      return (await failures()).length === 0;
    });
    expect(await activity(globex, acme)).toMatchObject({ messages_in: 7, types: ['invoice', 'later', 'order', 'poison'] });
    await untilIndexed(service);
    expect(await wrongContacts(service)).toEqual([]);
  });

  test('gets its threads again, whatever has come to them meanwhile', async () => {
    const first = await send('order');
    await untilIndexed(service);
    const repair = await wrapFollower(service, 'index_threads', `RAISE 'not today';`);
    await globex.api.send({ in_reply_to: first.id });
    await send('order');
    await untilIndexed(service);
    expect(await activity(globex, acme)).toMatchObject({ messages_in: 2, messages_out: 1 });
    expect(await wrongThreads(service)).not.toEqual([]);
    await repair();
    await acme.api.send({ in_reply_to: first.id });
    await untilIndexed(service);
    await until(async () => {
      await retryNow();
      return (await service.sql('SELECT FROM follower_failures')).length === 0;
    });
    expect(await wrongThreads(service)).toEqual([]);
  });
});

describe('without a worker', () => {
  beforeEach(() => start('api'));

  test('contacts have every message that was sent before they are read, however many read at once', async () => {
    for (let n = 1; n <= 5; n++) {
      await Promise.all(Array.from({ length: 6 }, () => send('order')));
      const seen = await Promise.all(Array.from({ length: 8 }, () => activity(globex, acme)));
      expect(seen.map(({ messages_in }) => messages_in)).toEqual(Array(8).fill(6 * n));
    }
    expect(await activity(acme, globex)).toMatchObject({ messages_out: 30 });
    expect(await wrongContacts(service)).toEqual([]);
    expect(await wrongThreads(service)).toEqual([]);
  });

  test('a contact can be saved, archived and blocked before its first message is followed', async () => {
    await send('order');
    const contact = await saved(globex.api, { handle: 'acme', label: 'Friend' });
    expect(contact).toMatchObject({ saved: true, label: 'Friend', activity: { messages_in: 1, types: ['order'] } });
    await send('order');
    expect((await globex.api.patch(`/contacts/${contact.id}`, { archived: true })).body).toMatchObject({ activity: { messages_in: 2 } });
    expect((await globex.api.write('POST', '/blocks', { handle: 'acme' })).status).toBe(201);
    expect(await known(globex.api, 'acme')).toMatchObject({ id: contact.id, blocked: true, activity: { messages_in: 2 } });
    await followAll(service);
    expect(await wrongContacts(service)).toEqual([]);
  });

  test('a request for contacts gets 503 after some seconds while the ledger can’t be followed; other businesses get their contacts', async () => {
    await send('order');
    await activity(globex, acme);
    await activity(acme, globex);
    await send('order');
    await activity(acme, globex);
    const lock = await lockingWith(service, 'SELECT FROM thread_index FOR UPDATE');
    const refused = await globex.api.get('/contacts');
    expect([refused.status, refused.body.error?.code ?? refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      '1',
    ]);
    expect(await activity(acme, globex)).toMatchObject({ messages_out: 2 });
    await lock.rollBack();
    expect(await activity(globex, acme)).toMatchObject({ messages_in: 2 });
  });

  test('entries that their commit has counted, before followers did, count once', async () => {
    for (let n = 0; n < 3; n++) await send('order');
    await service.sql(
      `INSERT INTO contacts (party_id, other_id, id, first_seen_at, last_seen_at, last_direction, messages_in, messages_out)
       SELECT e.party_id, e.counterparty_id, new_uuid(now()), min(m.received_at), max(m.received_at), min(e.box),
              count(*) FILTER (WHERE e.box = 'in'), count(*) FILTER (WHERE e.box = 'out') FROM ledger_entries e JOIN messages m ON m.id = e.message_id GROUP BY 1, 2`,
    );
    await service.sql(MIGRATION.slice(MIGRATION.indexOf('INSERT INTO thread_index')));
    await send('order');
    expect(await activity(globex, acme)).toMatchObject({ messages_in: 4 });
    expect(await activity(acme, globex)).toMatchObject({ messages_out: 4 });
    expect(await wrongContacts(service)).toEqual([]);
    expect(await wrongThreads(service)).toEqual([]);
  });
});

test('workers, readers, and jobs that wait for rounds never end in a deadlock, and readers do not wait for what comes later', async () => {
  await start('all');
  let isOver = false;
  const whileSending = async (work: () => Promise<void>) => {
    while (!isOver) await work();
  };
  const others = [
    ...[acme, globex].map(({ api }) => whileSending(async () => expect((await api.get('/contacts')).status).toBe(200))),
    whileSending(async () => void (await Promise.all(service.database.shards.map(awaitRounds)))),
  ];
  for (let n = 0; n < 15; n++) {
    await Promise.all(Array.from({ length: 10 }, () => send('order')));
    expect(await activity(globex, acme)).toMatchObject({ messages_in: 10 * (n + 1) });
  }
  isOver = true;
  await Promise.all(others);
  await untilIndexed(service);
  expect(await wrongContacts(service)).toEqual([]);
  expect(await wrongThreads(service)).toEqual([]);
});

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { CONTACTS_SCANNED_MAX } from '../../src/contract/limits.ts';
import { contactChores } from '../../src/modules/contacts/chores.ts';
import { CONTACT_ORDERS, changeSaved, listContacts } from '../../src/modules/contacts/store.ts';
import type { TextQueryable } from '../../src/platform/postgres/postgres.ts';
import { claimedBy } from '../support/businesses.ts';
import { listed, names, saved } from '../support/contacts.ts';
import { queued } from '../support/drops.ts';
import { type JoiningService, startJoiningService } from '../support/joining.ts';
import { Operator } from '../support/operator.ts';
import { everyPage, list } from '../support/pages.ts';
import type { TestBusiness } from '../support/service.ts';
import { ON_CITUS } from '../support/sharded.ts';

const CONTACTS = 2 * CONTACTS_SCANNED_MAX + 10;
const log = pino({ level: 'fatal' });

/** Runs without a worker: contacts are indexed when the test does it. */
let service: JoiningService;
let operator: Operator;
let owner: TestBusiness;
let ownerId: bigint;

beforeAll(async () => {
  service = await startJoiningService();
  operator = new Operator(service);
  owner = await service.business('well-known');
  const [party] = await service.sql<{ id: string }>(`SELECT id FROM parties WHERE handle = 'well-known'`);
  ownerId = BigInt(party?.id ?? 0);
  await fillContacts();
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

/** Creates known-1.example, known-2.example, … The oldest contact is zebra.example, which is last in every order. */
async function fillContacts(): Promise<void> {
  await service.sql(
    `INSERT INTO parties (domain, display_name, folded_name)
     SELECT name || '.example', name, name FROM (SELECT CASE n WHEN 0 THEN 'zebra' ELSE 'known-' || n END AS name FROM generate_series(0, $1::integer - 1) n) p`,
    [CONTACTS],
  );
  const fill = (into: string, columns: string, where = '') =>
    service.sql(
      `INSERT INTO ${into} SELECT $1::bigint, p.id, ${columns} FROM parties p WHERE p.domain IS NOT NULL AND p.display_name ~ '^(zebra|known-[0-9]+)$'${where}`,
      [ownerId],
    );
  await fill('contacts (party_id, other_id, id, saved_at)', `new_uuid(now() - interval '1 day' + p.id * interval '1 ms'), now()`);
  await fill('contact_activity (party_id, other_id, last_position)', 'p.id');
  await fill('contact_names (party_id, other_id, name)', 'p.display_name');
  await fill('contact_types (party_id, other_id, type)', `'order'`, ` AND p.domain = 'zebra.example'`);
}

async function runChore(name: string, payload: unknown = {}): Promise<void> {
  await contactChores.find((chore) => chore.name === name)?.run(service.database, log, payload);
}

/** The number of rows that this connection has read so far. */
async function rowsRead(tx: TextQueryable): Promise<number> {
  const [row] = await tx.queryText<{ read: number }>(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS read FROM pg_stat_xact_user_tables
      WHERE starts_with(relname, 'contact') OR relname = 'parties'`,
  );
  return row?.read ?? 0;
}

const index = () => runChore('index-contacts');
const onePage = async (filters: Record<string, string>) => {
  const { body } = await list(owner.api, '/contacts', filters);
  return [names(body.data), body.next_cursor];
};

describe('while many contacts are not indexed', () => {
  test('a page looks at a limited number of contacts, in every order, and the next goes on behind them', async () => {
    for (const sort of CONTACT_ORDERS) {
      const pages = await everyPage(owner.api, '/contacts', { q: 'nobody', sort });
      expect([sort, pages]).toEqual([sort, [[], [], []]]);
      expect([sort, await listed(owner.api, { q: 'zebra', sort })]).toEqual([sort, ['zebra.example']]);
    }
  });

  test('a search queues them to be indexed', async () => {
    expect(await queued(service, 'index-contacts')).toContainEqual({ party_id: `${ownerId}` });
  });

  test('a cursor is good for the pages after they have been indexed', async () => {
    const seen = new Map<string, string[]>();
    const wanted = await listed(owner.api, { q: 'known-20' });
    expect(wanted).toHaveLength(111);
    const pages = await Promise.all(CONTACT_ORDERS.map((sort) => list(owner.api, '/contacts', { q: 'known-20', sort, limit: 20 })));
    for (const payload of await queued(service, 'index-contacts')) await runChore('index-contacts', payload);
    for (const [i, sort] of CONTACT_ORDERS.entries()) {
      let { data, next_cursor } = pages[i]?.body ?? {};
      const found: string[] = names(data);
      while (next_cursor) {
        ({ data, next_cursor } = (await list(owner.api, '/contacts', { q: 'known-20', sort, limit: 40, cursor: next_cursor })).body);
        found.push(...names(data));
      }
      seen.set(sort, found);
    }
    for (const found of seen.values()) expect(found.toSorted()).toEqual(wanted.toSorted());
  });
});

describe('among many contacts', () => {
  beforeAll(index);

  test.each<[string, Record<string, string>, string[]]>([
    ['nothing', { q: 'nobody' }, []],
    ['nothing of one character', { q: '!' }, []],
    ['nothing of two characters', { q: 'zz' }, []],
    ['nothing of many characters', { q: 'known-'.repeat(33) }, []],
    ['the oldest', { q: 'zebra' }, ['zebra.example']],
    ['the oldest by one character', { q: 'Z' }, ['zebra.example']],
    ['the oldest by two characters', { q: 'BR' }, ['zebra.example']],
    ['the oldest by its domain', { q: 'a.example' }, ['zebra.example']],
    ['the oldest that is saved', { q: 'zebra', saved: 'true' }, ['zebra.example']],
    ['none that is not saved', { q: 'zebra', saved: 'false' }, []],
    ['the oldest by its type', { q: 'zebra', type: 'order' }, ['zebra.example']],
    ['none of another type', { q: 'zebra', type: 'invoice' }, []],
    ['none that is archived', { q: 'zebra', archived: 'true' }, []],
    ['one of many that are similar', { q: 'known-7777' }, ['known-7777.example']],
  ])('a search finds %s in one page', async (_what, filters, found) => {
    for (const sort of CONTACT_ORDERS) expect([sort, await onePage({ ...filters, sort })]).toEqual([sort, [found, null]]);
  });

  test.each([
    ['known', CONTACTS - 1],
    ['known-1', 1 + 10 + 100 + 1_000 + 10],
    ['known-30', 111],
  ])('pages of a search for %s have each of them once', async (q, count) => {
    for (const sort of CONTACT_ORDERS) {
      const found = await listed(owner.api, { q, sort, limit: 200 });
      expect([sort, found.length, new Set(found).size]).toEqual([sort, count, count]);
    }
  });

  test.skipIf(ON_CITUS)('a search reads few rows', async () => {
    for (const sort of CONTACT_ORDERS) {
      const read = await service.database.of(ownerId).transaction(async (tx) => {
        const before = await rowsRead(tx);
        const { rows } = await listContacts(tx, ownerId, { sort, q: 'zebra', archived: false }, undefined, 51);
        expect(rows).toHaveLength(1);
        return (await rowsRead(tx)) - before;
      });
      // The newest contacts with their parties, and as many names as show that there are too many for a walk.
      expect(read).toBeLessThan(1_000);
    }
  });

  test('a search finds a contact that no worker has indexed', async () => {
    const stranger = await service.business('stranger');
    expect((await stranger.api.send({ to: owner.handle })).status).toBe(201);
    expect(await onePage({ q: 'strang' })).toEqual([['stranger'], null]);
  });
});

describe('a search finds what is written now, and nothing of before,', () => {
  /** Searches by the former and the new words, before and after the contact is indexed again. */
  const expectFound = async (before: string, now: string, name: string) => {
    for (const again of [async () => {}, indexAll]) {
      await again();
      for (const sort of ['added', 'name']) {
        expect([before, await onePage({ q: before, sort })]).toEqual([before, [[], null]]);
        expect([now, await onePage({ q: now, sort })]).toEqual([now, [[name], null]]);
      }
    }
  };
  /** Indexes contacts even of a business with few, which the chore skips. */
  const indexAll = () =>
    service.sql('SELECT index_contacts(n.party_id, 1000) FROM contact_names n WHERE n.grams IS NULL GROUP BY n.party_id');

  beforeAll(index);

  test('after a change of the label', async () => {
    const { id } = await saved(owner.api, { domain: 'known-1.example', label: 'Walrus' });
    await expectFound('sealion', 'walrus', 'known-1.example');
    expect((await owner.api.patch(`/contacts/${id}`, { label: 'Sealion' })).status).toBe(200);
    await expectFound('walrus', 'sealion', 'known-1.example');
  });

  test('after a change of the label while the contact is indexed', async () => {
    const { id } = await saved(owner.api, { domain: 'known-2.example', label: 'Puffin' });
    await service.database.of(ownerId).transaction(async (tx) => {
      await changeSaved(tx, ownerId, parseId('ctc', id) ?? '', { label: 'Penguin' });
      await indexAll();
    });
    await expectFound('puffin', 'penguin', 'known-2.example');
  });

  test('after a change of the display name', async () => {
    const zoo = await claimedBy(service, 'ann@zoo.test', 'menagerie');
    expect((await zoo.patch('/business', { display_name: 'Giraffe House' })).status).toBe(200);
    await saved(owner.api, { handle: 'menagerie' });
    await expectFound('hippo', 'giraffe', 'menagerie');
    expect((await zoo.patch('/business', { display_name: 'Hippo House' })).status).toBe(200);
    expect(await onePage({ q: 'giraffe' })).toEqual([[], null]);
    for (const payload of await queued(service, 'rename-contact')) await runChore('rename-contact', payload);
    await expectFound('giraffe', 'hippo', 'menagerie');
  });

  test('after a business has verified the domain', async () => {
    const firm = await service.business('tortoise');
    await saved(owner.api, { domain: 'hare.test', label: 'Runner' });
    await expectFound('tortoise', 'hare', 'hare.test');
    await operator.verifyDomain(firm.handle, 'hare.test');
    await service.join();
    await expectFound('hare', 'tortoise', 'tortoise');
    expect(await onePage({ q: 'runner' })).toEqual([['tortoise'], null]);
  });
});

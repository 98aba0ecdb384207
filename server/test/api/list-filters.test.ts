import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import { ids, list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
type Envelope = any;

/** Types with characters that are special in SQL, patterns or URLs. */
const TYPES = [
  'order',
  'Order',
  'order%',
  'order_',
  'ordex',
  "order' OR '1'='1",
  '"order"',
  'a\\b',
  'order.v2',
  'ünïcode/🚚',
  ' order',
  'a+b',
  '*',
];

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let initech: TestBusiness;
const byType = new Map<string | null, Envelope>();
const bySegment = new Map<string, Envelope>();
let fromInitech: Envelope;
let reply: Envelope;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex', { segment: 'orders' });
  initech = await service.business('initech');
  for (const type of TYPES) byType.set(type, (await acme.api.send({ to: 'globex', type })).body);
  byType.set(null, (await acme.api.send({ to: 'globex' })).body);
  for (const segment of ['orders', 'nobody-yet']) bySegment.set(segment, (await acme.api.send({ to: `globex/${segment}` })).body);
  fromInitech = (await initech.api.send({ to: 'globex/orders', type: 'order' })).body;
  reply = (await globex.api.send({ in_reply_to: fromInitech.id, type: 'reply' })).body;
});
afterAll(() => service.stop());

const inboxIds = async (filters: Record<string, string>) => {
  const response = await list(globex.api, '/inbox', filters);
  expect(response.status, response.text).toBe(200);
  return ids(response.body.data);
};
const outboxIds = async (filters: Record<string, string>) => {
  const response = await list(acme.api, '/outbox', filters);
  expect(response.status, response.text).toBe(200);
  return ids(response.body.data);
};

describe('type', () => {
  test.each(TYPES.filter((type) => type !== 'order'))('matches %s literally', async (type) => {
    const only = [byType.get(type)?.id];
    expect(await inboxIds({ type })).toEqual(only);
    expect(await outboxIds({ type })).toEqual(only);
  });

  test('matches the whole type, in its own case', async () => {
    expect(await inboxIds({ type: 'order' })).toEqual([fromInitech.id, byType.get('order')?.id]);
  });

  test.each(['%', '_rder', 'ord', 'ORDER', "'", "'; DROP TABLE messages; --", '\\', 'null', 'x'.repeat(81)])(
    'finds nothing for %s',
    async (type) => {
      expect(await inboxIds({ type })).toEqual([]);
      expect(await outboxIds({ type })).toEqual([]);
    },
  );

  test('finds only an empty type when it is empty', async () => {
    expect(await inboxIds({ type: '' })).toEqual([]);
    const empty = (await initech.api.send({ to: 'acme', type: '' })).body;
    expect(ids((await list(acme.api, '/inbox', { type: '' })).body.data)).toEqual([empty.id]);
  });
});

describe('from', () => {
  test.each(['initech', 'INITECH', 'IniTech'])('finds the sender as %s', async (from) => {
    expect(await inboxIds({ from })).toEqual([fromInitech.id]);
  });

  test.each(['nobody-has-this', 'globex', 'demo', 'someone@example.org', 'example.org'])('finds nothing from %s', async (from) => {
    expect(await inboxIds({ from })).toEqual([]);
  });

  test.each(['', 'a', '-acme', 'acme-', 'ac me', 'acme/orders', '%', 'acme%', "acme'", 'ａｃｍｅ', 'x'.repeat(33), 'x'.repeat(321)])(
    'refuses "%s", which can be neither handle nor address',
    async (from) => {
      expectInvalid(await list(globex.api, '/inbox', { from }), 'from');
      expectInvalid(await list(acme.api, '/outbox', { from }), 'from');
    },
  );

  test('is the business itself in an outbox, where everything is from it', async () => {
    const all = ids((await list(acme.api, '/outbox')).body.data);
    expect(await outboxIds({ from: 'acme' })).toEqual(all);
    expect(await outboxIds({ from: 'ACME' })).toEqual(all);
    expect(await outboxIds({ from: 'globex' })).toEqual([]);
    expect(await outboxIds({ from: 'someone@example.org' })).toEqual([]);
  });

  test('takes no domain in an outbox', async () => {
    expectInvalid(await list(acme.api, '/outbox', { from: 'example.org' }), 'from');
  });

  test('finds a mailbox by its address and by its domain', async () => {
    // The entry is edited to look as if it had come by mail.
    const { body } = await initech.api.send({ to: 'acme' });
    await service.sql(
      `UPDATE ledger_entries SET from_email = 'ann@mail.example.org', from_domain = 'mail.example.org' WHERE message_id = $1`,
      [parseId('msg', body.id)],
    );
    const inbox = async (from: string) => ids((await list(acme.api, '/inbox', { from })).body.data);
    for (const from of ['ann@mail.example.org', 'Ann@Mail.Example.ORG', 'mail.example.org', 'MAIL.example.org']) {
      expect(await inbox(from), from).toEqual([body.id]);
    }
    for (const from of ['example.org', 'ann@example.org', '%@mail.example.org', 'ann_mail.example.org', '@mail.example.org']) {
      expect(await inbox(from), from).toEqual([]);
    }
  });
});

describe('to', () => {
  test.each(['orders', 'ORDERS', 'globex/orders', 'GLOBEX/Orders'])('finds what was addressed to the agent as %s', async (to) => {
    expect(await inboxIds({ to })).toEqual([fromInitech.id, bySegment.get('orders')?.id]);
  });

  test('finds what was addressed to a segment that nobody has', async () => {
    expect(await inboxIds({ to: 'nobody-yet' })).toEqual([bySegment.get('nobody-yet')?.id]);
    expect(await inboxIds({ to: 'never-used' })).toEqual([]);
  });

  test.each(['', '/', 'globex/', 'acme/orders', 'orders/', '-orders', 'or_ders', 'or%', "orders'", 'x'.repeat(32), 'globex+orders'])(
    'refuses "%s", which is no segment of the business',
    async (to) => {
      expectInvalid(await list(globex.api, '/inbox', { to }), 'to');
    },
  );
});

describe('thread', () => {
  test('finds the messages of the thread that stand in this list', async () => {
    const thread = fromInitech.thread_id;
    expect(await inboxIds({ thread })).toEqual([fromInitech.id]);
    expect(ids((await list(globex.api, '/outbox', { thread })).body.data)).toEqual([reply.id]);
    expect(ids((await list(initech.api, '/inbox', { thread })).body.data)).toEqual([reply.id]);
  });

  test('gives the same empty page for a stranger’s thread as for one that does not exist', async () => {
    for (const box of ['/inbox', '/outbox']) {
      const strange = await list(acme.api, box, { thread: fromInitech.thread_id });
      const unknown = await list(acme.api, box, { thread: formatId('thr', newUuid()) });
      expect(strange.text).toBe('{"data":[],"next_cursor":null}');
      expect(unknown.text).toBe(strange.text);
    }
  });

  test.each(['', 'thr_', 'thr_x', 'msg', 'THR', 'null', '%'])('refuses the malformed id "%s"', async (thread) => {
    expectInvalid(await list(globex.api, '/inbox', { thread }), 'thread');
  });

  test('refuses ids of another kind, or with a letter too many, too few or out of its alphabet', async () => {
    const id: string = fromInitech.thread_id;
    for (const thread of [fromInitech.id, `${id}0`, id.slice(0, -1), id.toUpperCase(), `${id.slice(0, -1)}u`, `thr_z${id.slice(5)}`]) {
      expectInvalid(await list(globex.api, '/inbox', { thread }), 'thread');
    }
  });
});

describe('validation', () => {
  test('finds messages by how they fared against the inbox schema', async () => {
    const all = ids((await list(globex.api, '/inbox')).body.data);
    expect(await inboxIds({ validation: 'not_applicable' })).toEqual(all);
    expect(await inboxIds({ validation: 'passed' })).toEqual([]);
    expect(await inboxIds({ validation: 'failed' })).toEqual([]);
    expect(await outboxIds({ validation: 'not_applicable' })).toEqual(await outboxIds({}));
  });

  test('tells passed from failed', async () => {
    // The entries are edited to look as if the inbox had a schema.
    const made = [(await initech.api.send({ to: 'acme' })).body, (await initech.api.send({ to: 'acme' })).body];
    for (const [i, status] of ['passed', 'failed'].entries()) {
      await service.sql('UPDATE ledger_entries SET validation = $1 WHERE message_id = $2', [status, parseId('msg', made[i].id)]);
    }
    const found = async (validation: string) => ids((await list(acme.api, '/inbox', { validation })).body.data);
    expect(await found('passed')).toEqual([made[0].id]);
    expect(await found('failed')).toEqual([made[1].id]);
    expect(await found('not_applicable')).not.toContain(made[0].id);
  });

  test.each(['', 'PASSED', 'ok', 'passed,failed', "passed'"])('refuses "%s"', async (validation) => {
    expectInvalid(await list(globex.api, '/inbox', { validation }), 'validation');
  });
});

describe('filters together', () => {
  test('narrow the list to what all of them match', async () => {
    const { thread_id: thread, received_at: since } = fromInitech;
    expect(await inboxIds({ from: 'initech', type: 'order', to: 'orders', validation: 'not_applicable', thread, since })).toEqual([
      fromInitech.id,
    ]);
    expect(await inboxIds({ from: 'acme', to: 'orders' })).toEqual([bySegment.get('orders')?.id]);
    expect(await inboxIds({ from: 'acme', type: 'order' })).toEqual([byType.get('order')?.id]);
    expect(await inboxIds({ from: 'acme', thread })).toEqual([]);
    expect(await inboxIds({ from: 'initech', type: 'order%' })).toEqual([]);
    expect(await inboxIds({ to: 'orders', until: since })).toEqual([bySegment.get('orders')?.id]);
  });

  test('hold for every page, not for the first alone', async () => {
    const first = await list(globex.api, '/inbox', { type: 'order', limit: 1 });
    const second = await list(globex.api, '/inbox', { type: 'order', limit: 1, cursor: first.body.next_cursor });
    expect(ids([...first.body.data, ...second.body.data])).toEqual([fromInitech.id, byType.get('order')?.id]);
    expect(second.body.next_cursor).toBeNull();
  });
});

describe.each(['limit', 'cursor', 'since', 'until', 'from', 'to', 'type', 'validation', 'thread', 'colour'])('a broken %s', (name) => {
  const broken = [
    '%00',
    'a%00b',
    '%',
    '%2',
    '%zz',
    '%ff',
    '%c3%28',
    '%ed%a0%80',
    '%f0%9f',
    '%25',
    '%u0041',
    '+',
    '%0d%0a',
    '%e2%80%ae',
    '%f4%90%80%80',
  ];

  test.each(broken)('as %s is refused or finds nothing', async (value) => {
    for (const box of ['/inbox', '/outbox']) {
      const { status, body, text } = await globex.api.get(`${box}?${name}=${value}`);
      expect([200, 400], text).toContain(status);
      if (status === 400) expect(body.error.code).toBe('validation_error');
      else expect(body).toEqual({ data: [], next_cursor: null });
    }
  });
});

test('U+0000 is refused in every filter', async () => {
  for (const name of ['since', 'until', 'from', 'to', 'type', 'validation', 'thread', 'cursor']) {
    expectInvalid(await globex.api.get(`/inbox?${name}=a%00`), name);
  }
});

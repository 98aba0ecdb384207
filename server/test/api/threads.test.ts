import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
type Envelope = any;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let umbrella: TestBusiness;
/** A conversation with messages of both parties, oldest first. */
const conversation: Envelope[] = [];
let threadId: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  umbrella = await service.business('umbrella');
  conversation.push((await acme.api.send({ to: 'globex', json: { n: 0 } })).body);
  threadId = conversation[0].thread_id;
  for (let n = 1; n < 60; n++) {
    const speaker = n % 3 === 0 ? acme : globex;
    const parent = conversation[Math.floor(n / 2)];
    conversation.push((await speaker.api.send({ in_reply_to: parent.id, json: { n } })).body);
  }
  // A message between the same parties that belongs to another thread.
  await acme.api.send({ to: 'globex' });
});
afterAll(() => service.stop());

describe('GET /threads/{id}', () => {
  test('gives the messages oldest first, fifty a page, with the thread’s id and nothing hidden', async () => {
    const { status, body } = await acme.api.get(`/threads/${threadId}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'hidden', 'next_cursor', 'state', 'thread_id']);
    expect(body.thread_id).toBe(threadId);
    expect(body.hidden).toBe(0);
    expect(body.data).toEqual(conversation.slice(0, 50));
    expect(body.next_cursor).toEqual(expect.any(String));
  });

  test('shows both parties the same messages in the same order', async () => {
    const ofAcme = await everyPage(acme.api, `/threads/${threadId}`);
    const ofGlobex = await everyPage(globex.api, `/threads/${threadId}`);
    expect(ofAcme.flat()).toEqual(conversation);
    expect(ofGlobex.flat()).toEqual(conversation);
  });

  test.each([1, 7, 30, 60, 200])('holds every message once in pages of %i', async (limit) => {
    const pages = await everyPage(globex.api, `/threads/${threadId}`, { limit });
    expect(pages.map((page) => page.length)).toEqual(
      Array.from({ length: Math.ceil(60 / limit) }, (_, i) => Math.min(limit, 60 - i * limit)),
    );
    expect(ids(pages.flat())).toEqual(ids(conversation));
  });

  test('keeps the exact parent of each message', async () => {
    const messages: Envelope[] = (await everyPage(acme.api, `/threads/${threadId}`)).flat();
    expect(messages.map(({ in_reply_to }) => in_reply_to)).toEqual(
      messages.map((_, n) => (n === 0 ? null : conversation[Math.floor(n / 2)].id)),
    );
  });

  test('reads to a reader with a read key', async () => {
    const reader = await acme.withKey('read');
    expect((await reader.get(`/threads/${threadId}`)).text).toBe((await acme.api.get(`/threads/${threadId}`)).text);
  });

  test('gives a reader who pages while replies arrive all of them, once', async () => {
    const { body: first } = await globex.api.send({ to: 'umbrella' });
    const sent = [first.id];
    const replyOnce = async () => {
      if (sent.length < 12) sent.push((await umbrella.api.send({ in_reply_to: first.id })).body.id);
    };
    await replyOnce();
    const pages = await everyPage(globex.api, `/threads/${first.thread_id}`, { limit: 1 }, replyOnce);
    expect(ids(pages.flat())).toEqual(sent.slice(0, pages.length));
    expect(pages.length).toBeGreaterThan(10);
  });

  test('holds a message to oneself once, and each reply to it', async () => {
    const { body: note } = await umbrella.api.send({ to: 'umbrella', subject: 'note to self' });
    const { body: more } = await umbrella.api.send({ in_reply_to: note.id });
    expect(more.thread_id).toBe(note.thread_id);
    for (const limit of [1, 2, 50]) {
      const pages = await everyPage(umbrella.api, `/threads/${note.thread_id}`, { limit });
      expect(pages.flat()).toEqual([note, more]);
    }
  });

  test('never mixes in another thread of the same two parties', async () => {
    const { body: other } = await acme.api.send({ to: 'globex' });
    expect((await globex.api.get(`/threads/${other.thread_id}`)).body.data).toEqual([other]);
  });

  test('shows a message to the demo inbox as a thread of its own', async () => {
    const { body: message } = await acme.api.send({ to: 'demo' });
    expect((await acme.api.get(`/threads/${message.thread_id}`)).body.data).toEqual([message]);
  });
});

describe('a thread that one has no part in', () => {
  test('is treated like one that does not exist, and like a malformed id', async () => {
    const paths = [
      threadId,
      formatId('thr', newUuid()),
      'thr_00000000000000000000000000',
      threadId.toUpperCase(),
      threadId.replace('thr_', 'msg_'),
      threadId.replace('thr_', ''),
      conversation[0].id,
      `${threadId}0`,
      'thr_',
      'x',
      '%00',
      '%F0%9F%9A%9A',
      "'%20OR%201=1",
    ];
    const responses = await Promise.all(paths.map((id) => umbrella.api.get(`/threads/${id}`)));
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as (typeof responses)[number]));
    }
  });

  test('stays so for a business that exchanges other messages with one of its parties', async () => {
    await umbrella.api.send({ to: 'acme' });
    await acme.api.send({ to: 'umbrella' });
    expectRefusal(await umbrella.api.get(`/threads/${threadId}`), 'not_found');
  });
});

describe('the paging of a thread', () => {
  test.each(['0', '201', 'abc', '', '-5'])('refuses a limit of "%s"', async (limit) => {
    expectInvalid(await list(acme.api, `/threads/${threadId}`, { limit }), 'limit');
  });

  test.each(['since', 'until', 'type', 'order', 'thread'])('knows no parameter %s', async (name) => {
    expectInvalid(await list(acme.api, `/threads/${threadId}`, { [name]: 'x' }), name);
  });
});

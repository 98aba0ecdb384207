import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attached, INBOUND, type MailWorld, mailText, multipart, startMailWorld } from '../support/mail-world.ts';
import type { TestBusiness } from '../support/service.ts';

let world: MailWorld;
let globex: TestBusiness;

beforeAll(async () => {
  world = await startMailWorld();
  globex = await world.service.business('globex', { segment: 'orders' });
  world.publish('acme-works.test');
  world.publish('gmail.com');
});
afterAll(() => world.stop());

/** The envelope of the message that a mail has become. */
// biome-ignore lint/suspicious/noExplicitAny: an envelope
async function received(answer: string): Promise<any> {
  const id = /^250 2\.0\.0 Delivered as (msg_\w+)$/.exec(answer)?.[1];
  expect(id, answer).toBeDefined();
  const { data } = (await globex.api.get('/inbox?limit=1')).body;
  expect(data[0].id).toBe(id);
  return data[0];
}

describe('a mail becomes a message', () => {
  test('from the domain that sent it, with the mailbox as its actor', async () => {
    const message = await received(await world.deliver({ mail: mailText() }));
    expect(message).toMatchObject({
      in_reply_to: null,
      from: {
        party: { kind: 'domain', domain: 'acme-works.test' },
        actor: { kind: 'mailbox', name: 'Ann', email: 'ann@acme-works.test', verified: true, provider: 'smtp' },
      },
      to: { party: { kind: 'handle', handle: 'globex' } },
      type: null,
      subject: 'Order 4711',
      note: 'Three of A-1, please.',
      json: null,
      files: [],
    });
    expect(message.from.actor.id).toMatch(/^mbx_/);
  });
  test('with files', async () => {
    const mail = mailText(
      multipart('mixed', [
        { headers: ['Content-Type: text/plain'], body: 'See attached.' },
        attached('a.pdf', 'application/pdf', '%PDF'),
        attached('o.json', 'application/json', '{"a": 1.0}'),
      ]),
    );
    const message = await received(await world.deliver({ mail }));
    console.log(message);
  });
});

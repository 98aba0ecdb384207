import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';

const MB = 1_048_576;
const UNKNOWN_ID = 'msg_01h455vb4pex5vsknk084sn02q';
const PLAIN = { 'content-type': 'text/plain' };
const GZIP = { 'content-encoding': 'gzip' };

let service: TestService;
let acme: TestBusiness;
let toGlobex: string;
let toDemo: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  await service.business('globex');
  await service.business('initech');
  toGlobex = (await acme.api.send({ to: 'globex' })).body.id;
  toDemo = (await acme.api.send({ to: 'demo' })).body.id;
});
afterAll(() => service.stop());

/** Runs against another process of the service, with a stricter setting. */
async function under(env: Record<string, string>, work: (url: string) => Promise<void>): Promise<void> {
  const sibling = await service.sibling(env);
  try {
    await work(sibling.url);
  } finally {
    await sibling.stop();
  }
}

/** One request for each check after authentication and scope. All of them would be refused. */
async function wrongInEveryWay(api: Api) {
  return [
    await api.send({ to: 'globex' }, PLAIN),
    await api.send({ to: 'globex' }, GZIP),
    await api.send('{'),
    await api.send({ to: 'globex', josn: 1 }),
    await api.send({ to: 'globex' }, { 'idempotency-key': 'a b' }),
    await api.send({ to: 'nobody' }),
    await api.send({ in_reply_to: UNKNOWN_ID }),
    await api.send({ to: 'globex', files: ['x'] }),
  ];
}

describe('of several reasons to refuse, the first in this order is told', () => {
  test('1. unauthorized', async () => {
    for (const response of await wrongInEveryWay(service.anonymous)) expectRefusal(response, 'unauthorized');
  });

  test('2. forbidden, also when the key has used up its rate', async () => {
    const reader = await acme.withKey('read');
    for (const response of await wrongInEveryWay(reader)) expectRefusal(response, 'forbidden');
    await under({ RATE_LIMIT_PER_MINUTE: '1' }, async (url) => {
      await reader.at(url).get('/me');
      expectRefusal(await reader.at(url).get('/me'), 'rate_limited');
      expectRefusal(await reader.at(url).send({ to: 'globex' }), 'forbidden');
    });
  });

  test('3. rate_limited', async () => {
    await under({ RATE_LIMIT_PER_MINUTE: '1' }, async (url) => {
      await acme.api.at(url).get('/me');
      for (const response of await wrongInEveryWay(acme.api.at(url))) {
        expectRefusal(response, 'rate_limited');
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    });
  });

  test('4. what is wrong with the request itself', async () => {
    const later = { to: 'nobody', files: ['x'] };
    expectRefusal(await acme.api.send(later, PLAIN), 'unsupported_media_type');
    expectRefusal(await acme.api.send(later, GZIP), 'unsupported_media_type');
    expectRefusal(await acme.api.send(`${JSON.stringify(later)},`), 'invalid_json');
    expectRefusal(await acme.api.send({ ...later, json: 'x'.repeat(MB) }), 'json_too_large');
    expectRefusal(await acme.api.send({ ...later, josn: 1 }), 'validation_error');
    expectRefusal(await acme.api.send({ in_reply_to: UNKNOWN_ID, note: '\0' }), 'validation_error');
    expectRefusal(await acme.api.send({ in_reply_to: UNKNOWN_ID, to: 'no address' }), 'validation_error');
    expectRefusal(await acme.api.send(later, { 'idempotency-key': '' }), 'validation_error');
  });

  test('5. whom it is for', async () => {
    const files = ['x'];
    expectRefusal(await acme.api.send({ to: 'nobody', files }), 'unknown_recipient');
    expectRefusal(await acme.api.send({ in_reply_to: UNKNOWN_ID, to: 'nobody', files }), 'not_found');
    expectRefusal(await acme.api.send({ in_reply_to: toDemo, to: 'nobody', files }), 'reply_unaddressable');
    expectRefusal(await acme.api.send({ in_reply_to: toGlobex, to: 'initech', files }), 'reply_recipient_mismatch');
  });

  test('6. its uploads, and 7. its quota', async () => {
    await under({ MONTHLY_MESSAGE_LIMIT: '1' }, async (url) => {
      const api = acme.api.at(url);
      expectRefusal(await api.send({ to: 'globex' }), 'quota_exceeded');
      expectRefusal(await api.send({ to: 'globex', files: ['x'] }), 'upload_not_found');
      expectRefusal(await api.send({ to: 'nobody' }), 'unknown_recipient');
      expectRefusal(await api.send({ to: 'globex', josn: 1 }), 'validation_error');
    });
  });
});

test('a refused send leaves nothing behind and uses no quota, whatever it is refused for', async () => {
  const usage = async () => (await acme.api.get('/me')).body.usage.messages.used;
  const [traces, used] = [await tracesOfSends(service), await usage()];
  const key = { 'idempotency-key': 'never-used' };
  const refused = [
    await service.anonymous.send({ to: 'globex' }, key),
    await (await acme.withKey('read')).send({ to: 'globex' }, key),
    await acme.api.send({ to: 'globex' }, { ...key, ...PLAIN }),
    await acme.api.send('{"to":"globex"', key),
    await acme.api.send({ to: 'globex', json: 'x'.repeat(MB) }, key),
    await acme.api.send({ to: 'globex', josn: 1 }, key),
    await acme.api.send({ to: 'nobody' }, key),
    await acme.api.send({ in_reply_to: UNKNOWN_ID }, key),
    await acme.api.send({ in_reply_to: toDemo }, key),
    await acme.api.send({ in_reply_to: toGlobex, to: 'initech' }, key),
    await acme.api.send({ to: 'globex', files: ['x'] }, key),
  ];
  await under({ MONTHLY_MESSAGE_LIMIT: '1', RATE_LIMIT_PER_MINUTE: '2' }, async (url) => {
    refused.push(await acme.api.at(url).send({ to: 'globex' }, key), await acme.api.at(url).send({ to: 'globex' }, key));
    refused.push(await acme.api.at(url).send({ to: 'globex' }, key));
  });
  expect(new Set(refused.map(({ body }) => body.error.code))).toEqual(
    new Set([
      'unauthorized',
      'forbidden',
      'rate_limited',
      'unsupported_media_type',
      'invalid_json',
      'json_too_large',
      'validation_error',
      'unknown_recipient',
      'not_found',
      'reply_unaddressable',
      'reply_recipient_mismatch',
      'upload_not_found',
      'quota_exceeded',
    ]),
  );
  expect(await tracesOfSends(service)).toEqual(traces);
  expect(await usage()).toBe(used);
  const first = await acme.api.send({ to: 'globex' }, key);
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { Refusal } from '../../src/contract/errors.ts';
import { createServer } from '../../src/http/server.ts';
import { StoreUnavailable } from '../../src/platform/objects/object-store.ts';

const lines: { msg: string; reason: string }[] = [];
const into = new Writable({
  write(chunk, _encoding, done) {
    lines.push(JSON.parse(String(chunk)));
    done();
  },
});
const app = createServer(pino({ level: 'warn' }, into), []);
const refusal = new Refusal('unavailable', 'Too many schemas are being checked. Try again later.', { retryAfterS: 5 });
const exhausted = Object.assign(new Error('connect EMFILE 127.0.0.1:5432'), { code: 'EMFILE' });
const closed = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
for (const [path, error] of [
  ['/busy', refusal],
  ['/database', closed],
  ['/descriptors', exhausted],
  ['/store', new StoreUnavailable('the bucket does not respond')],
] as const)
  app.get(path, () => Promise.reject(error));
afterAll(() => app.close());

test.each([
  ['/busy', 'request refused for now', 'Too many schemas are being checked. Try again later.'],
  ['/database', 'database unavailable', 'connect ECONNREFUSED'],
  ['/descriptors', 'descriptors of the process are used up', 'connect EMFILE 127.0.0.1:5432'],
  ['/store', 'file store unavailable', 'the bucket does not respond'],
])('the log says why a request to %s got 503', async (path, msg, reason) => {
  lines.length = 0;
  expect((await app.inject(path)).statusCode).toBe(503);
  expect(lines).toEqual([expect.objectContaining({ msg, reason })]);
});

import { hash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { Refusal } from '../../src/contract/errors.ts';
import { CanonicalHasher } from '../../src/platform/json/canonical-hasher.ts';

const hasher = new CanonicalHasher();
afterAll(() => hasher.stop());

const LARGE = Buffer.from(`{"b":1,"a":"${'x'.repeat(100_000)}"}`);
const SHA256_OF_LARGE = hash('sha256', `{"a":"${'x'.repeat(100_000)}","b":1}`, 'hex');
/** Far deeper than a message may be, so that the worker's stack overflows. */
const TOO_DEEP = Buffer.from('['.repeat(200_000) + ']'.repeat(200_000));

test('a text at which a worker fails costs a 503 and nothing else', async () => {
  const [before, failed, waiting] = await Promise.allSettled([
    hasher.hash('acme', LARGE),
    hasher.hash('acme', TOO_DEEP),
    hasher.hash('globex', LARGE),
  ]);
  expect(before).toMatchObject({ status: 'fulfilled' });
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', headers: { 'retry-after': '5' } } });
  expect((failed as PromiseRejectedResult).reason).toBeInstanceOf(Refusal);
  expect(waiting).toMatchObject({ status: 'fulfilled' });
  const { canonical, bytes } = await hasher.hash('acme', LARGE);
  expect(canonical.toString('hex')).toBe(SHA256_OF_LARGE);
  expect(bytes.toString('hex')).toBe(hash('sha256', LARGE, 'hex'));
});

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { VECTORS, type Vector } from '../../proof/test/support/vectors.ts';
import { CommandLine } from './support/command-line.ts';

const folder = temporaryFolder();
/** This command line has no service, profile or key, because a proof is verified offline. */
const offline = new CommandLine({ HOME: folder, WAYBILL_URL: 'http://127.0.0.1:9' });
const at = (name: string) => path.join(VECTORS, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const vectors: Vector[] = JSON.parse(read('vectors.json'));
const TRUST: Record<string, string[]> = { policy: ['--policy', at('policy.txt')], vkey: ['--vkey', read('vkey.txt').trim()], none: [] };
const CODES = { verified: 0, failed: 1, unusable: 2, untrusted: 6 };

describe('receipt verify', () => {
  test('has the expected verdict of vectors of each kind', async () => {
    // One process for each kind: of the vectors in which the same parts fail, only the first.
    const kinds = new Map(vectors.toReversed().map((vector) => [vector.failed.length > 0 ? String(vector.failed) : vector.name, vector]));
    for (const { name, file, trust, verdict } of kinds.values()) {
      const { code } = await offline.run(['receipt', 'verify', at(file), ...(TRUST[trust] ?? [])]);
      expect(code, name).toBe(CODES[verdict]);
    }
  });

  test('has a line for each check', async () => {
    const proof = at('good-everything.waybill-proof');
    const more = ['--tsa-cert', at('tsa-root.pem'), '--data', `@${at('order.json')}`, '--file', at('drawing.txt')];
    const { stdout } = await offline.succeed('receipt', 'verify', proof, '--policy', at('policy.txt'), ...more);
    expect(stdout).toMatch(/^ok {3}content .*\nok {3}inclusion .*\nok {3}log .*\nok {3}witnesses .*north.*south/);
    expect(stdout).toContain('whom you trust');
    expect(stdout.trimEnd().endsWith('Verified')).toBe(true);
    const json = JSON.parse((await offline.succeed('receipt', 'verify', proof, '--policy', at('policy.txt'), '--json')).stdout);
    expect(json).toMatchObject({
      ok: true,
      verdict: 'verified',
      warning: null,
      // The certificate of the authority was not given.
      checks: expect.arrayContaining([expect.objectContaining({ part: 'time', state: 'unchecked' })]),
    });
  });

  test('compares JSON that you have: another text passes if all parsers read the same value from it', async () => {
    const verify = (json: string) =>
      offline.run(['receipt', 'verify', at('good-json-with-repeated-keys.waybill-proof'), '--policy', at('policy.txt'), '--data', json]);
    expect(await verify('{"big":1e16,"a":2}')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^–.* json .*but not its bytes/m) });
    for (const json of ['{"a":1,"a":2,"big":1e16}', '{"a":2,"big":10000000000000001}'])
      expect(await verify(json)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL json .*others may read another value/m) });
  });

  test.each([
    ['a forged proof, with the name of the real log', ['untrusted-forged.waybill-proof']],
    ['a genuine proof', ['good-everything.waybill-proof', '--tsa-cert', at('tsa-root.pem')]],
    ['a .tlog-proof', ['message.tlog-proof', '--content-hash', `sha256:${'0'.repeat(64)}`]],
  ])('verifies nothing of %s without a key to trust, and says what to do', async (_, [file = '', ...more]) => {
    const { code, stdout } = await offline.run(['receipt', 'verify', at(file), ...more]);
    expect(code).toBe(6);
    expect(stdout).toContain('Not verified: no trusted key.');
    expect(stdout).toMatch(/--vkey.*--policy/);
    expect(stdout).not.toMatch(/^(ok|Verified)/m);
    const json = await offline.run(['receipt', 'verify', at(file), ...more, '--json']);
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      6,
      { ok: false, verdict: 'untrusted', warning: expect.stringContaining('--vkey') },
    ]);
  });

  test('finds a forged proof by the key of the real log', async () => {
    const { code, stdout } = await offline.run(['receipt', 'verify', at('untrusted-forged.waybill-proof'), ...(TRUST['vkey'] ?? [])]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAIL inclusion[\s\S]*^Not verified$/m)]);
  });

  test('verifies a tlog-proof of a content hash or a receipt', async () => {
    const least = ['receipt', 'verify', at('good-least.waybill-proof'), ...(TRUST['vkey'] ?? []), '--json'];
    const content = JSON.parse((await offline.succeed(...least)).stdout).content_hash;
    const proof = at('message.tlog-proof');
    const policy = TRUST['policy'] ?? [];
    expect((await offline.succeed('receipt', 'verify', proof, '--content-hash', content, ...policy)).stdout).toContain('Leaf 20 of 50');
    expect((await offline.run(['receipt', 'verify', proof, '--content-hash', content.replace(/.$/, 'x'), ...policy])).code).toBe(2);
    expect((await offline.run(['receipt', 'verify', proof, '--content-hash', `sha256:${'0'.repeat(64)}`, ...policy])).code).toBe(1);
    expect((await offline.run(['receipt', 'verify', proof, ...policy])).code).toBe(2);
    const receipt = path.join(folder, 'receipt.json');
    writeFileSync(receipt, JSON.stringify({ ...JSON.parse(read('envelope.json')), content_hash: content }));
    await offline.succeed('receipt', 'verify', proof, '--receipt', receipt, ...policy);
    writeFileSync(receipt, JSON.stringify({ ...JSON.parse(read('envelope.json')), subject: 'x', content_hash: content }));
    expect((await offline.run(['receipt', 'verify', proof, '--receipt', receipt, ...policy])).code).toBe(2);
  });

  test('says what is wrong with files that are not there, or not proofs', async () => {
    expect(await offline.run(['receipt', 'verify', path.join(folder, 'missing.waybill-proof')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Couldn’t read'),
    });
    writeFileSync(path.join(folder, 'a.waybill-proof'), 'no proof');
    expect(await offline.run(['receipt', 'verify', path.join(folder, 'a.waybill-proof')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('canonical JSON'),
    });
    const other = await offline.run(['receipt', 'verify', at('good-least.waybill-proof'), '--file', at('order.json')]);
    expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('is not a file of the message')]);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { type Check, formatBundle } from '../../proof/src/index.ts';
import { bundleOf } from '../../proof/test/support/sample.ts';
import { publicKeyOf, said } from '../../proof/test/support/sample-message.ts';
import { type Forgery, VECTORS, type Vector } from '../../proof/test/support/vectors.ts';
import { run } from '../src/run.ts';
import { CommandLine } from './support/command-line.ts';

const folder = temporaryFolder();
/** This command line has no service, profile or key, because a proof is verified offline. */
const offline = new CommandLine({ HOME: folder, WAYBILL_URL: 'http://127.0.0.1:9' });
const at = (name: string) => path.join(VECTORS, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const vectors: Vector[] = JSON.parse(read('vectors.json'));
const TRUST: Record<string, string[]> = { policy: ['--policy', at('policy.txt')], vkey: ['--vkey', read('vkey.txt').trim()], none: [] };
const forgeries: Forgery[] = JSON.parse(read('forgeries/forgeries.json'));
const optionsOf = (given: Vector['given']) => [
  ...(given?.sender_keys ?? []).flatMap((key) => ['--sender-key', key]),
  ...(given?.recipient_keys ?? []).flatMap((key) => ['--recipient-key', key]),
  ...(given?.authorities ?? []).flatMap((name) => ['--authority', name]),
];
/** Runs the command in this process. */
async function inProcess(args: string[]): Promise<{ code: number; stdout: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await run(args, { env: { HOME: folder }, stdin: new PassThrough(), stdout, stderr }, new AbortController().signal);
  return { code, stdout: String(stdout.read() ?? '') };
}
const CODES = { verified: 0, failed: 1, unusable: 2, untrusted: 6 };

describe('receipt verify', () => {
  test('has the expected verdict of each vector', async () => {
    for (const { name, file, trust, given, verdict } of vectors) {
      const { code } = await offline.run(['receipt', 'verify', at(file), ...(TRUST[trust] ?? []), ...optionsOf(given)]);
      expect(code, name).toBe(CODES[verdict]);
    }
  });

  test('refuses each forgery for the reason that is listed', async () => {
    for (const { name, file, trust, given, failed } of forgeries) {
      const args = ['receipt', 'verify', at(`forgeries/${file}`), ...(TRUST[trust] ?? []), ...optionsOf(given), '--json'];
      // A process of its own for each would take as long as all other tests of the command.
      const { code, stdout } = await inProcess([...args, '--tsa-cert', at('tsa-root.pem')]);
      const { checks }: { checks: (Check & { reason?: string })[] } = JSON.parse(stdout);
      const found = checks.flatMap(({ part, state, reason }) => (state === 'failed' ? [`${part} ${reason}`] : []));
      expect([code, new Set(found)], name).toEqual([1, new Set(failed.map(({ part, reason }) => `${part} ${reason}`))]);
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

  describe('--known-keys', () => {
    const keys = path.join(folder, 'known-keys.txt');
    const verify = (proof: string, ...more: string[]) =>
      offline.run(['receipt', 'verify', at(proof), ...(TRUST['policy'] ?? []), '--known-keys', keys, ...more]);
    const lines = () => readFileSync(keys, 'utf8').trimEnd().split('\n').slice(1);

    test('remembers the keys of counterparties that a proof shows, and knows them again', async () => {
      expect(await verify('good-everything.waybill-proof')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/New: the key of Acme \(acme\)/),
      });
      expect(lines()).toEqual([
        expect.stringMatching(/^waybill\.example\.com\/log\/1 handle%3Aacme agt_\w+ \S{43}= \d{4}-\S+Z$/),
        expect.stringMatching(/^waybill\.example\.com\/log handle%3Aglobex agt_\w+ \S{43}= \d{4}-\S+Z$/),
      ]);
      const before = lines();
      const again = await verify('good-everything.waybill-proof');
      expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {3}key .*Acme \(acme\) that you have known since/m) });
      expect(lines()).toEqual(before);
    });

    test('fails for another key of a counterparty, until it is accepted', async () => {
      const forged = 'forgeries/key-made-up-by-the-operator.waybill-proof';
      const before = lines();
      expect(await verify(forged)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL key .*has changed.*--accept-key/m) });
      expect(lines()).toEqual(before);
      expect(await verify(forged, '--accept-key')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('The new key of Acme (acme)'),
      });
      expect(lines()).toHaveLength(before.length + 1);
      expect((await verify(forged)).code).toBe(0);
    });

    test.each([
      ['another agent of the counterparty', 'a-new-agent', (line: string) => line.replace(/ agt_\w+ /, ' agt_other ')],
      ['another log of the service', 'a-new-log', (line: string) => line.replace('/log/1 ', '/log ')],
    ])('fails for a key that the log has for %s', async (_, name, edit) => {
      const own = path.join(folder, `${name}.txt`);
      await offline.run(['receipt', 'verify', at('good-everything.waybill-proof'), ...(TRUST['policy'] ?? []), '--known-keys', own]);
      writeFileSync(own, readFileSync(own, 'utf8').split('\n').map(edit).join('\n'));
      const forged = at('forgeries/key-made-up-by-the-operator.waybill-proof');
      expect(await offline.run(['receipt', 'verify', forged, ...(TRUST['policy'] ?? []), '--known-keys', own])).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^FAIL key .*has changed/m),
      });
    });

    test('fails for a message that lacks the signature of an agent who has signed before, unless that is accepted', async () => {
      const own = path.join(folder, 'signed-before.txt');
      const known = (proof: string, ...more: string[]) =>
        offline.run(['receipt', 'verify', at(proof), ...(TRUST['policy'] ?? []), '--known-keys', own, ...more]);
      expect((await known('good-everything.waybill-proof')).code).toBe(0);
      const stripped = 'forgeries/signature-left-out.waybill-proof';
      expect(await known(stripped)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL key .*has signed other messages/m) });
      expect(await known(stripped, '--accept-key')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^– {4}key .*has signed other/m),
      });
      writeFileSync(own, readFileSync(own, 'utf8').replaceAll(/ agt_\w+ /g, ' agt_other '));
      expect(await known(stripped)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^– {4}key .*has signed other/m) });
    });

    test.each([
      [
        'has another line of the file',
        `agt\nwaybill.example.com/log handle%3Aglobex agt ${publicKeyOf('forger')} 2020-01-01T00:00:00.000Z\nx`,
      ],
      ['has spaces', 'the order desk'],
      ['is empty', ''],
    ])('remembers a key of an agent whose id %s', async (_, agent) => {
      const own = path.join(folder, `agent-${agent.length}.txt`);
      const words = said();
      words.senderKey.agent = agent;
      words.envelope.from.actor.id = agent;
      const proof = path.join(folder, `agent-${agent.length}.waybill-proof`);
      const verifyOwn = () => offline.run(['receipt', 'verify', proof, ...(TRUST['policy'] ?? []), '--known-keys', own]);
      writeFileSync(proof, formatBundle(await bundleOf(words)));
      expect((await verifyOwn()).code).toBe(0);
      // The header, and one line each for sender and recipient.
      expect(readFileSync(own, 'utf8').trimEnd().split('\n')).toHaveLength(3);
      expect(await verifyOwn()).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^ok {3}key .*Acme \(acme\) that you have known/m),
      });
      const { signature: _stripped, ...stripped } = await bundleOf(words);
      writeFileSync(proof, formatBundle(stripped));
      expect(await verifyOwn()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL key .*has signed other messages/m) });
    });

    test('remembers nothing of a proof that does not hold, and refuses a file of another form', async () => {
      const before = lines();
      const forged = 'forgeries/recipient-key-made-up-by-the-operator.waybill-proof';
      expect((await verify(forged, '--recipient-key', 'sgk_other', '--accept-key')).code).toBe(1);
      expect(lines()).toEqual(before);
      writeFileSync(keys, 'no keys\n');
      expect(await verify('good-everything.waybill-proof')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('log party agent key time'),
      });
    });
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

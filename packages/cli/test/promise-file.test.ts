import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Waybill } from '@waybill/client';
import { cosigner, formatVkey, KEY_TYPE, signatureLine, verifierKey, verifyPromise } from '@waybill/proof';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LogReader } from '../../../server/test/support/log.ts';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { startTestService, type TestService } from '../../../server/test/support/service.ts';
import { SmallLog } from '../../../server/test/support/small-log.ts';
import { keyOf } from '../../proof/test/support/keys.ts';
import { type PromiseTerms, samplePromises } from '../../proof/test/support/sample-promise.ts';
import { CommandLine } from './support/command-line.ts';
import { honest, type Lie, logServer } from './support/log-server.ts';

const ORIGIN = 'log.example/log';
const MINUTE_MS = 60_000;

let log: SmallLog;
let lie: Lie = honest;
let former: { vkey: string; succession: string }[] = [];
const server = logServer(
  () => ({ log, lie, vkey: log.vkey, former }),
  () => {},
);
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const folder = temporaryFolder();
const commandLine = new CommandLine({ HOME: folder, WAYBILL_URL: 'http://127.0.0.1:9' });

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  log = new SmallLog(ORIGIN).add(300);
  lie = honest;
  former = [];
});

const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
/** The entry of the log with this number, as SmallLog makes it. */
const logged = (number: number) => hashOf(`honest ${number}`);
const DROPPED = hashOf('a message that the operator has dropped');
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString();
const OVERDUE = { from: minutesFromNow(-60), at: minutesFromNow(-30), by: minutesFromNow(-20), until: minutesFromNow(60) };
const DUE = { ...OVERDUE, at: minutesFromNow(-1), by: minutesFromNow(9) };

async function promiseFile(contentHash: string, terms: Partial<PromiseTerms> = {}): Promise<string> {
  const [text = ''] = await samplePromises({
    log: ORIGIN,
    certify: (body) => log.sign(body),
    contentHashes: [contentHash],
    ...OVERDUE,
    ...terms,
  });
  return fileWith(text);
}

function fileWith(text: string): string {
  const file = path.join(folder, `${createHash('sha256').update(text).digest('hex')}.txt`);
  writeFileSync(file, text);
  return file;
}

const verify = (file: string, ...more: string[]) => commandLine.run(['receipt', 'verify', file, '--vkey', log.vkey, ...more]);
const compare = (file: string, ...more: string[]) => verify(file, '--log', address(), ...more);

/** From now on, the log shows a checkpoint that a witness has cosigned at that time. Returns the command with a policy that names the witness. */
async function witness(time: string) {
  const { publicKey, sign } = keyOf('north');
  const key = formatVkey(verifierKey('north.example', KEY_TYPE.cosignature, publicKey));
  const policy = path.join(folder, 'policy.txt');
  writeFileSync(policy, `log ${log.vkey}\nwitness north ${key}\nquorum north\n`);
  const { name, keyId, ...north } = cosigner('north.example', publicKey, sign, () => Math.floor(Date.parse(time) / 1_000));
  const note = await log.checkpoint();
  const signature = Uint8Array.from(await north.sign(note.slice(0, note.indexOf('\n\n') + 1)));
  lie = (at) => at === 'checkpoint' && Buffer.from(note + signatureLine({ name, keyId, signature }));
  return (file: string, ...more: string[]) => commandLine.run(['receipt', 'verify', file, '--policy', policy, '--log', address(), ...more]);
}

describe('receipt verify, of a promise', () => {
  test('finds that it was kept, by reading the log', async () => {
    const { code, stdout } = await compare(await promiseFile(logged(280)));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {3}inclusion +Entry 280 of 300[\s\S]*^– {4}time[\s\S]*^Kept: /m)]);
    const inTime = await compare(await promiseFile(logged(3), DUE));
    expect([inTime.code, inTime.stdout]).toEqual([0, expect.stringMatching(/^ok {3}time +In time/m)]);
  });

  test('convicts a log that does not have the message in time, and shows the evidence', async () => {
    const [file, witnessed] = [await promiseFile(DROPPED), await witness(minutesFromNow(-1))];
    const { code, stdout } = await witnessed(file);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL inclusion +None of the 300 entries/m);
    expect(stdout).toMatch(/^ok {3}time +.*cosigned by north at/m);
    expect(stdout).toMatch(/^BROKEN: .*log\.example\/log signed the promise that sha256:.*contradict each other/m);
    expect(stdout).toContain('waybill-promise/1\n');
    expect(stdout).toContain(await log.checkpoint());
    const json = await witnessed(file, '--json');
    const { ok, verdict, evidence } = JSON.parse(json.stdout);
    expect([json.code, ok, verdict, evidence.leaves]).toEqual([1, false, 'broken', 300]);
    expect((await verifyPromise(evidence.promise, { vkeys: [log.vkey] })).verdict).toBe('verified');
    expect(evidence.checkpoint).toContain(await log.checkpoint());
  });

  test('convicts nobody of an old checkpoint: only a witness says that it is later, exit status 5', async () => {
    const file = await promiseFile(DROPPED);
    const [before, after] = [await log.checkpoint(290), logged(295)];
    lie = (at) => at === 'checkpoint' && Buffer.from(before);
    for (const { code, stdout } of [await compare(file), await compare(await promiseFile(after))]) {
      expect([code, stdout]).toEqual([5, expect.stringMatching(/^– {4}inclusion +None of the 290 [\s\S]*^Overdue: .*--policy/m)]);
      expect(stdout).not.toMatch(/BROKEN|FAIL|contradict/);
    }
    const { ok, verdict, evidence } = JSON.parse((await compare(file, '--json')).stdout);
    expect([ok, verdict, evidence]).toEqual([false, 'overdue', undefined]);
    const witnessedBefore = await witness(minutesFromNow(-25));
    expect(await witnessedBefore(file)).toMatchObject({ code: 5, stdout: expect.stringMatching(/^ok {3}witnesses[\s\S]*^Overdue: /m) });
    // A policy with a witness, whose cosignature the log does not show.
    lie = honest;
    expect(await witnessedBefore(file)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL witnesses[\s\S]*^Not verified$/m) });
  });

  test('follows the keys that the log named since the one that is known', async () => {
    const older = new SmallLog(ORIGIN);
    const file = await promiseFile(logged(280));
    const byOlder = (...more: string[]) => commandLine.run(['receipt', 'verify', file, '--vkey', older.vkey, '--log', address(), ...more]);
    expect(await byOlder()).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL log +No known key/m) });
    const note = `${JSON.stringify({ at: DUE.at, log: ORIGIN, new_key: log.vkey, old_key: older.vkey, statement: 'key_succession' })}\n`;
    former = [{ vkey: older.vkey, succession: await older.sign(note) }];
    expect(await byOlder()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Kept: /m) });
    former = [{ vkey: older.vkey, succession: await log.sign(note) }];
    expect((await byOlder()).code).toBe(1);
  });

  test('waits for the time that was promised, exit status 5', async () => {
    const { code, stdout } = await compare(await promiseFile(DROPPED, DUE));
    expect([code, stdout]).toEqual([5, expect.stringMatching(/^Not yet due: the log has time until/m)]);
    expect(stdout).not.toContain('BROKEN');
  });

  test('compares nothing without --log, and proves nothing without a key', async () => {
    const file = await promiseFile(logged(1));
    expect(await verify(file)).toMatchObject({ code: 5, stdout: expect.stringContaining('not compared with the log') });
    const untrusted = await commandLine.run(['receipt', 'verify', file, '--log', address()]);
    expect([untrusted.code, untrusted.stdout]).toEqual([6, expect.stringContaining('no trusted key')]);
  });

  test('refuses what another key signed, and a file that is neither promise nor proof', async () => {
    const forged = await promiseFile(logged(1), { certify: (body) => new SmallLog(ORIGIN).sign(body) });
    expect(await compare(forged)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL log +No known key/m) });
    expect((await compare(fileWith('waybill-promise/1\nno promise'))).code).toBe(2);
    expect((await compare(fileWith('{"promise":1}'))).code).toBe(2);
    expect(await compare(fileWith('{"promise":"no promise"}'))).toMatchObject({ code: 2, stderr: expect.stringContaining('begin with') });
  });

  test('convicts nobody of what a log does not sign: entries that do not lead to its root, or another log', async () => {
    const file = await promiseFile(DROPPED);
    const other = log.fork(200).add(100, 'other');
    lie = async (at) => (at === 'checkpoint' ? Buffer.from(await other.checkpoint()) : false);
    expect(await compare(file)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL log +The log is wrong/m) });
    lie = async (at) => (at === 'checkpoint' ? Buffer.from(await new SmallLog('other.example/log').add(3).checkpoint()) : false);
    const { code, stdout } = await compare(file);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAIL log +The log is wrong: its checkpoint is not valid/m)]);
    expect(stdout).not.toContain('BROKEN');
    lie = () => Buffer.alloc(100_000);
    expect(await compare(file)).toMatchObject({ code: 1, stdout: expect.stringContaining('The log is wrong') });
  });
});

describe('with a service', () => {
  let service: TestService;
  let vkey: string;
  let sent: Awaited<ReturnType<Waybill['send']>>;
  beforeAll(async () => {
    service = await startTestService();
    const acme = await service.business('acme');
    vkey = (await new LogReader(service.url).wellKnown()).log.vkey;
    sent = await new Waybill({ baseUrl: service.url, key: acme.secret }).send({ to: 'acme', json: { n: 1 } }, { wait: 'logged' });
  });
  afterAll(() => service.stop());

  const verifySent = (text: string, ...more: string[]) =>
    commandLine.run(['receipt', 'verify', fileWith(text), '--vkey', vkey, '--log', service.url, ...more]);

  test('the saved response to a send is enough', async () => {
    expect(sent.proof).toContain('c2sp.org/tlog-proof@v1');
    expect(Object.keys(sent)).not.toContain('promise');
    const { code, stdout } = await verifySent(JSON.stringify(sent));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {3}content +The promise is of msg_[\s\S]*^Kept: /m)]);
    expect((await verifySent(sent.promise ?? '')).code).toBe(0);
  });

  test('a promise beside another message is refused', async () => {
    const [json] = [JSON.parse(JSON.stringify(sent))];
    const changed = await verifySent(JSON.stringify({ ...json, subject: 'changed' }));
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringMatching(/^FAIL content +The content_hash/m)]);
    const other = await verifySent(JSON.stringify({ ...json, content_hash: DROPPED }));
    expect([other.code, other.stdout]).toEqual([1, expect.stringMatching(/^FAIL content +The promise is of another message/m)]);
    expect((await verifySent(JSON.stringify({ promise: sent.promise, files: 3 }))).code).toBe(2);
  });
});

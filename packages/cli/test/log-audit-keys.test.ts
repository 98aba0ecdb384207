import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { canonicalJson } from '@waybill/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { SmallLog } from '../../../server/test/support/small-log.ts';
import { CommandLine } from './support/command-line.ts';
import { honest, logServer } from './support/log-server.ts';

let log: SmallLog;
let vkeyServed: string | undefined;
let former: { vkey: string; succession: string }[] = [];
let folder: string;
let commandLine: CommandLine;

const server = logServer(
  () => ({ log, lie: honest, vkey: vkeyServed ?? log.vkey, former }),
  () => {},
);
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  log = new SmallLog('log.example/log').add(1_000);
  [former, vkeyServed] = [[], undefined];
  folder = temporaryFolder();
  commandLine = new CommandLine({ HOME: folder });
});

const audit = (...more: string[]) => commandLine.run(['log', 'audit', address(), ...more]);
const expectWrong = async (reason: string) => {
  const { code, stdout } = await audit();
  expect(stdout).toContain(`THE LOG IS WRONG: ${reason}`);
  expect(code).toBe(1);
};

describe('a log with a new key', () => {
  const succession = (old: SmallLog, next: SmallLog, more: object = {}) =>
    old.sign(
      `${canonicalJson({ at: '2026-06-01T08:00:00.000Z', log: old.origin, new_key: next.vkey, old_key: old.vkey, statement: 'key_succession', ...more })}\n`,
    );

  test('is followed if the key before has named it, over several changes', async () => {
    await audit();
    const [first, second, third] = [log, new SmallLog(log.origin), new SmallLog(log.origin).add(1_100)] as const;
    log = third;
    former = [
      { vkey: second.vkey, succession: await succession(second, third) },
      { vkey: first.vkey, succession: await succession(first, second) },
    ];
    expect(await audit()).toMatchObject({ code: 0, stdout: expect.stringContaining('1,100 entries') });
    former = [];
    expect((await audit()).code).toBe(0);
  });

  test('is followed by somebody who has an older key, or a policy with one', async () => {
    const [first, second, third] = [log, new SmallLog(log.origin), new SmallLog(log.origin).add(1_100)] as const;
    log = third;
    former = [
      { vkey: second.vkey, succession: await succession(second, third) },
      { vkey: first.vkey, succession: await succession(first, second) },
    ];
    expect(await audit('--vkey', first.vkey)).toMatchObject({ code: 0, stdout: expect.stringContaining('1,100 entries') });
    const policy = path.join(folder, 'older.txt');
    writeFileSync(policy, `log ${first.vkey}\nquorum none\n`);
    expect(await audit('--policy', policy, '--state', path.join(folder, 'by-policy.json'))).toMatchObject({ code: 0, stderr: '' });
    const stranger = new SmallLog(log.origin);
    expect(await audit('--vkey', stranger.vkey)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('No known key signed the note'),
    });
  });

  test('is followed while its newest checkpoint is of the key before, and remembered by that key', async () => {
    const [first, second] = [log, new SmallLog(log.origin)] as const;
    vkeyServed = second.vkey;
    former = [{ vkey: first.vkey, succession: await succession(first, second) }];
    for (let run = 0; run < 2; run++) expect(await audit()).toMatchObject({ code: 0, stdout: expect.stringContaining('1,000 entries') });
    // Somebody who can change what is published, and has no key of the log, adds none.
    const [stranger, forged] = [new SmallLog(log.origin), new SmallLog(log.origin).add(1_000, 'forged')];
    former.push({ vkey: forged.vkey, succession: await succession(forged, second) });
    log = forged;
    await expectWrong('its checkpoint is not valid: No known key signed the note');
    log = stranger;
    await expectWrong('its checkpoint is not valid: No known key signed the note');
  });

  test('is refused if another key has named it, or for another log', async () => {
    await audit();
    const [first, second] = [log, new SmallLog(log.origin).add(1_000)] as const;
    log = second;
    const stranger = new SmallLog(log.origin);
    for (const note of [
      await succession(stranger, second),
      await succession(second, second, { old_key: first.vkey }),
      await succession(first, second, { log: 'other.example/log' }),
      await succession(first, second, { statement: 'new_log' }),
      await succession(first, stranger),
      await first.sign('no JSON\n'),
      'no note',
    ]) {
      former = [{ vkey: first.vkey, succession: note }];
      await expectWrong('the service names another log or key than before');
    }
  });
});

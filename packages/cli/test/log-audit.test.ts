import { generateKeyPairSync, sign } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cosigner, formatVkey, KEY_TYPE, signatureLine, verifierKey } from '@waybill/proof';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { SmallLog } from '../../../server/test/support/small-log.ts';
import { CommandLine } from './support/command-line.ts';
import { honest, type Lie, logServer, respondWithoutEnd } from './support/log-server.ts';

let log: SmallLog;
let lie: Lie = honest;
let vkeyServed: string | undefined;
let requests: string[] = [];
let folder: string;
let commandLine: CommandLine;

const server = logServer(
  () => ({ log, lie, vkey: vkeyServed ?? log.vkey, former: [] }),
  (url) => requests.push(url),
);
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  log = new SmallLog('log.example/log').add(1_000);
  [lie, requests, vkeyServed] = [honest, [], undefined];
  folder = temporaryFolder();
  commandLine = new CommandLine({ HOME: folder });
});

const audit = (...more: string[]) => commandLine.run(['log', 'audit', address(), ...more]);
const evidence = () => {
  const logs = path.join(folder, '.config/waybill/logs');
  return readdirSync(logs)
    .filter((name) => name.includes('evidence'))
    .map((name) => readFileSync(path.join(logs, name), 'utf8'));
};
const expectWrong = async (reason: string) => {
  const { code, stdout } = await audit();
  expect(stdout).toContain(`THE LOG IS WRONG: ${reason}`);
  expect(code).toBe(1);
};

describe('an honest log', () => {
  test('is followed: only what is new is read, and one line tells', async () => {
    const first = await audit();
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^log\.example\/log: 1,000 entries, consistent since 20\d\d-\d\d-\d\d \d\d:\d\d UTC\n$/);
    // Entries and tiles of four bundles, the tile above them, the checkpoint and the description.
    expect(requests).toHaveLength(4 + 4 + 1 + 2);

    requests = [];
    log.add(300);
    const second = await audit('--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ origin: log.origin, size: 1_300, added: 300, ok: true, isBehind: false });
    expect(requests.filter((url) => url.includes('entries')).sort()).toEqual([
      '/log/tile/entries/003',
      '/log/tile/entries/004',
      '/log/tile/entries/005.p/20',
    ]);
  });

  test.each([0, 1, 255, 256, 257, 512, 65_537])('of %i entries', async (size) => {
    log = new SmallLog('log.example/log').add(size);
    expect((await audit()).stdout).toContain(`log.example/log: ${size.toLocaleString('en')} entr`);
    expect((await audit()).code).toBe(0);
    log.add(256);
    expect((await audit()).code).toBe(0);
  });

  test('may have replaced a partial tile by the full one', async () => {
    lie = (at, response) => {
      if (!at.includes('.p/') || at.startsWith('tile/1')) return false;
      response.writeHead(404).end();
      return true;
    };
    log.add(24);
    const checkpoint = await log.checkpoint(1_000);
    const before = lie;
    lie = (at, response) => (at === 'checkpoint' ? Buffer.from(checkpoint) : before(at, response));
    expect(await audit()).toMatchObject({ code: 0, stdout: expect.stringContaining('1,000 entries') });
  });

  test('may serve an older checkpoint of the same history, which is told', async () => {
    await audit();
    const older = Buffer.from(await log.checkpoint(700));
    lie = (at) => at === 'checkpoint' && older;
    expect(await audit()).toMatchObject({ code: 0, stdout: expect.stringContaining('700 entries, consistent since') });
    lie = honest;
    expect(await audit()).toMatchObject({ code: 0, stdout: expect.stringContaining('1,000 entries') });
  });

  test('is read on where an audit was interrupted', async () => {
    log = new SmallLog('log.example/log').add(20_000);
    lie = async (at) => {
      if (at.startsWith('tile/entries')) await sleep(400);
      return false;
    };
    const { child, ended } = commandLine.start('log', 'audit', address());
    while (requests.filter((url) => url.includes('entries')).length < 60) await sleep(20);
    child.kill('SIGKILL');
    await ended;
    const readBefore = requests.length;
    [lie, requests] = [honest, []];
    expect(await audit()).toMatchObject({ code: 0, stdout: expect.stringContaining('20,000 entries') });
    expect(requests.length).toBeLessThan(160 - readBefore / 4);
  });

  test('with witnesses by a policy', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const publicKey = Buffer.from(privateKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const witness = cosigner('w.example', publicKey, (bytes) => sign(null, bytes, privateKey));
    const other = new SmallLog('other.example');
    const policy = path.join(folder, 'policy');
    const vkeyOf = (key: Buffer) => formatVkey(verifierKey('w.example', KEY_TYPE.cosignature, key));
    const otherKey = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const write = (quorum: string) =>
      writeFileSync(
        policy,
        `witness one ${vkeyOf(publicKey)}\nwitness two ${vkeyOf(otherKey)}\ngroup both all one two\nquorum ${quorum}\n`,
      );
    const note = await log.checkpoint();
    const body = note.slice(0, note.indexOf('\n\n') + 1);
    const cosigned = note + signatureLine({ ...witness, signature: Uint8Array.from(await witness.sign(body)) });
    lie = (at) => at === 'checkpoint' && Buffer.from(cosigned);
    write('one');
    expect(await audit('--policy', policy)).toMatchObject({ code: 0, stdout: expect.stringContaining('witnessed by 1 of 2\n') });
    write('both');
    expect(await audit('--policy', policy)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('witnessed by 1 of 2, which is no quorum'),
    });
    writeFileSync(policy, `log ${other.vkey}\nquorum none\n`);
    expect(await audit('--policy', policy)).toMatchObject({ code: 2, stderr: expect.stringContaining('The policy does not have the log') });
  });
});

describe('a log that lies', () => {
  test('by a rewritten entry, that was seen before', async () => {
    await audit();
    log = log.fork(999).add(1, 'other').add(200);
    await expectWrong('its first 1000 entries are not what they were: history was rewritten');
    const [kept = ''] = evidence();
    expect(kept.match(/^1000$|^1200$/gm)).toEqual(['1000', '1200']);
    // The same evidence again is the same file, and the honest log is accepted again.
    await expectWrong('its first 1000 entries');
    expect(evidence()).toHaveLength(1);
    log = log.fork(0).add(1_200);
    expect((await audit()).code).toBe(0);
  });

  test('by an entry that was rewritten far back', async () => {
    await audit();
    const rewritten = log.fork(1_000).add(300);
    rewritten.entries[10] = Buffer.alloc(33, 1);
    log = rewritten;
    // Audited entries are not read again: the root shows it.
    await expectWrong('');
  });

  test('by another checkpoint of the same size', async () => {
    await audit();
    log = log.fork(990).add(10, 'other');
    await expectWrong('its first 1000 entries are not what they were');
    expect(evidence()[0]?.match(/^1000$/gm)).toHaveLength(2);
  });

  test('by going back, to the same history or another', async () => {
    await audit();
    log = log.fork(700);
    await expectWrong('it has 700 entries, and had 1000 before: it was rolled back');
    log = log.fork(600).add(50, 'other');
    await expectWrong('it has 650 entries, and had 1000 before: it was rolled back');
  });

  test('by entries that do not fit its tiles', async () => {
    const other = log.fork(1_000);
    other.entries[300] = Buffer.alloc(33, 1);
    lie = async (at) => at === 'tile/entries/001' && ((await other.serve(at)) ?? false);
    await expectWrong('tile/0/001 is not the hash of its entries');
    // If the tile fits the entries, the root does not.
    lie = async (at) => (at === 'tile/entries/001' || at === 'tile/0/001') && ((await other.serve(at)) ?? false);
    await expectWrong('tile/1/000.p/3 is not the hash of its entries');
    lie = async (at) => at.startsWith('tile/') && ((await other.serve(at)) ?? false);
    await expectWrong('its 1000 entries do not lead to the root of its checkpoint');
  });

  test('by missing what its checkpoint promises', async () => {
    lie = (at, response) => {
      if (at !== 'tile/entries/002') return false;
      response.writeHead(404).end();
      return true;
    };
    await expectWrong('tile/entries/002 is missing');
  });

  test('by bodies of another length: short, long, without end', async () => {
    lie = (at) => at === 'tile/0/000' && Buffer.alloc(8_191);
    await expectWrong('tile/0/000 has 8191 bytes in place of 8192');
    lie = (at) => at === 'tile/entries/000' && Buffer.alloc(256 * 35 + 1);
    await expectWrong('tile/entries/000 has more than 8960 bytes');
    for (const endless of ['tile/entries/000', 'checkpoint']) {
      lie = (at, response) => {
        if (at !== endless) return false;
        respondWithoutEnd(response);
        return true;
      };
      await expectWrong(`${endless} has more than`);
    }
  });

  test('by a checkpoint that its key did not sign', async () => {
    const other = new SmallLog(log.origin).add(1_000);
    lie = async (at) => at === 'checkpoint' && Buffer.from(await other.checkpoint());
    await expectWrong('its checkpoint is not valid: No known key signed the note');
    const flipped = Buffer.from((await log.checkpoint()).replace('1000', '1001'));
    lie = (at) => at === 'checkpoint' && flipped;
    await expectWrong('its checkpoint is not valid: The signature of log.example/log is wrong');
    lie = (at) => at === 'checkpoint' && Buffer.from([0xff, 0xfe, 0]);
    await expectWrong('its checkpoint is not valid');
  });

  test('by another key than before, unless the user names the new one', async () => {
    await audit();
    const former = log;
    log = new SmallLog(former.origin).add(1_000);
    await expectWrong('the service names another log or key than before');
    expect(await audit('--vkey', log.vkey)).toMatchObject({ code: 0 });
    expect((await audit()).code).toBe(0);
    // The key that the user names counts, and not that of the service.
    expect(await audit('--vkey', former.vkey)).toMatchObject({ code: 1, stdout: expect.stringContaining('No known key signed') });
  });
});

describe('a log that can’t be read has exit code 2', () => {
  const failing: Record<string, { lie: (response: http.ServerResponse) => unknown; reason: string }> = {
    fails: { lie: (response) => response.writeHead(500).end(), reason: 'it responded with 500' },
    'breaks off': { lie: (response) => response.destroy(), reason: 'Couldn’t read' },
    'says nothing': { lie: () => {}, reason: 'no complete response within 1 seconds' },
    'leads elsewhere': { lie: (response) => response.writeHead(302, { location: '/' }).end(), reason: 'Couldn’t read' },
    'drips its bytes': {
      lie: (response) => {
        const timer = setInterval(() => response.write('a'), 100);
        response.on('close', () => clearInterval(timer));
      },
      reason: 'no complete response within 1 seconds',
    },
  };
  test.each(Object.entries(failing))('%s', async (_, { lie: fail, reason }) => {
    lie = (at, response) => {
      if (at === 'checkpoint') return false;
      fail(response);
      return true;
    };
    const { code, stderr } = await audit('--timeout', '1');
    expect(stderr).toContain(reason);
    expect(code).toBe(2);
    lie = honest;
    expect((await audit()).code).toBe(0);
  });

  test('has no public log', async () => {
    lie = (_, response) => {
      response.writeHead(404).end();
      return true;
    };
    expect(await audit()).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no public log') });
  });

  test('or is used in a wrong way', async () => {
    const wrong = async (args: string[], reason: string) => {
      const { code, stderr } = await commandLine.run(['log', 'audit', ...args]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    };
    await wrong([], 'Usage: waybill log audit <url>');
    await wrong(['log.example'], 'must begin with https://');
    await wrong([address(), '--vkey', 'no key'], 'A verifier key is not');
    await wrong([address(), '--policy', '/nowhere'], 'Couldn’t read /nowhere');
    writeFileSync(path.join(folder, 'state'), '{"format": "another"}');
    await wrong([address(), '--state', path.join(folder, 'state')], 'is not what an audit has written');
    vkeyServed = 'nonsense';
    await wrong([address()], '.well-known/waybill.json is not usable');
  });

  test('but one that limits requests is waited for', async () => {
    let refused = 0;
    lie = (at, response) => {
      if (at !== 'tile/0/002' || refused++ >= 2) return false;
      response.writeHead(429, { 'retry-after': '1' }).end();
      return true;
    };
    expect((await audit()).code).toBe(0);
    expect(refused).toBe(3);
  });
});

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { cosignatureVerifier, noteVerifier, openNote, parseCheckpoint, parseVkey } from '@waybill/proof';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IPV6_SITE_FACTOR } from '../../src/contract/limits.ts';
import {
  WITNESS_BURST,
  WITNESS_NETWORKS_MAX,
  WITNESS_PER_MINUTE,
  WITNESS_REQUEST_MAX_BYTES,
  WITNESS_REQUEST_MAX_MS,
} from '../../src/contract/witness-limits.ts';
import { CosignedCheckpoints } from '../../src/modules/witness/cosigned-checkpoints.ts';
import { NetworkLimit } from '../../src/modules/witness/network-limit.ts';
import { Witness } from '../../src/modules/witness/witness.ts';
import { createWitnessKey, readWitnessKey, type WitnessKey } from '../../src/modules/witness/witness-key.ts';
import { serveWitness, type WitnessServer } from '../../src/modules/witness/witness-server.ts';
import { temporaryFolder } from '../support/process.ts';
import { SmallLog } from '../support/small-log.ts';
import { addCheckpoint } from '../support/witnesses.ts';

const folder = temporaryFolder();
const logs = Array.from({ length: 12 }, (_, at) => new SmallLog(`log-${at}.example/log`));
const [log = new SmallLog('')] = logs;
/** Each test has its own log, which the witness does not know yet. */
let taken = 0;
const freshLog = () => logs[++taken] as SmallLog;
const stranger = new SmallLog('stranger.example/log').add(3);

let key: WitnessKey;
let server: WitnessServer;
let url: string;

beforeAll(async () => {
  const cosigned = await CosignedCheckpoints.create(folder);
  key = await createWitnessKey(folder, 'witness.example/w1');
  const witness = new Witness(
    logs.map(({ vkey }) => parseVkey(vkey)),
    cosigned,
    key.signer,
    pino({ level: 'silent' }),
  );
  // Each request has another address, so that the limit of one address does not end the tests.
  server = await serveWitness(witness, { host: '127.0.0.1', port: 0, proxies: ['127.0.0.1'] }, pino({ level: 'silent' }));
  url = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.stop());

let requests = 0;
const anAddress = () => ({ 'x-forwarded-for': `10.0.${++requests >> 8}.${requests & 255}` });
const submit = (body: string | Buffer<ArrayBuffer>) => addCheckpoint(url, body, anAddress());
const get = (at: string) => fetch(url + at, { headers: anAddress() });
const checkpointOf = (origin: string) => get(`/${createHash('sha256').update(origin).digest('hex')}/checkpoint`);

describe('a checkpoint is cosigned', () => {
  test('the first one, and each that continues the one before', async () => {
    log.add(5);
    expect(await checkpointOf(log.origin)).toHaveProperty('status', 404);
    for (const [old, size] of [
      [0, 5],
      [5, 5],
      [5, 300],
      [300, 301],
      [301, 1_000],
    ] as const) {
      log.add(size - log.entries.length);
      const { status, type, text } = await submit(await log.request(old));
      expect([status, type], `${old} to ${size}: ${text}`).toEqual([200, 'text/plain; charset=utf-8']);
      const note = (await log.checkpoint()) + text;
      const { verified } = await openNote(note, [noteVerifier(parseVkey(log.vkey)), cosignatureVerifier(key.verifier)]);
      expect(verified).toHaveLength(2);
      expect(Math.abs(Date.now() / 1000 - (verified[1]?.time ?? 0))).toBeLessThan(60);
    }
  });

  test('and served to monitors, with both signatures and without those of others', async () => {
    const log = freshLog().add(7);
    const other = new SmallLog(log.origin).add(7);
    const [, theirs = ''] = (await other.checkpoint()).split('\n\n');
    expect((await submit((await log.request(0)) + theirs)).status).toBe(200);
    const response = await checkpointOf(log.origin);
    const note = await response.text();
    const opened = await openNote(note, [noteVerifier(parseVkey(log.vkey)), cosignatureVerifier(key.verifier)]);
    expect([response.status, opened.verified.length, opened.unknown.length, parseCheckpoint(note).size]).toEqual([200, 2, 0, 7]);
  });

  test('of size zero only with the root of the empty tree', async () => {
    const log = freshLog();
    expect((await submit(await log.request(0))).status).toBe(200);
    const wrong = await log.sign(`${log.origin}\n0\n${Buffer.alloc(32, 1).toString('base64')}\n`);
    expect((await submit(`old 0\n\n${wrong}`)).status).toBe(422);
    expect((await submit(await log.add(3).request(0))).status).toBe(200);
  });

  test('with lines of extensions, which are part of what is cosigned', async () => {
    const log = freshLog().add(2);
    const body = (await log.checkpoint()).split('\n\n')[0];
    const note = await log.sign(`${body}\nan extension\n`);
    const { status, text } = await submit(`old 0\n\n${note}`);
    expect(status).toBe(200);
    expect((await openNote(note + text, [cosignatureVerifier(key.verifier)])).body).toContain('an extension');
  });

  test('one at a time: of a hundred at once from the same size, one is cosigned', async () => {
    const log = freshLog().add(10);
    await submit(await log.request(0));
    log.add(100);
    const requests = await Promise.all(Array.from({ length: 100 }, (_, at) => log.request(10, 11 + at)));
    const results = await Promise.all(requests.map(submit));
    const statuses = Map.groupBy(results, ({ status }) => status);
    expect(statuses.get(200)).toHaveLength(1);
    // Requests that would wait too long are refused.
    expect((statuses.get(409)?.length ?? 0) + (statuses.get(503)?.length ?? 0)).toBe(99);
    const [cosigned = ''] = (await (await checkpointOf(log.origin)).text()).split('\n').slice(1);
    for (const { text } of statuses.get(409) ?? []) expect(text).toBe(`${cosigned}\n`);
  });
});

describe('a checkpoint is refused', () => {
  test('with 404 if the log is unknown, whatever else is wrong', async () => {
    expect((await submit(await stranger.request(0))).status).toBe(404);
    expect((await submit((await stranger.request(0)).replace('old 0', 'old 9'))).status).toBe(404);
  });

  test('with 403 if the key is unknown or the signature is wrong', async () => {
    const log = freshLog().add(4);
    expect((await submit(await new SmallLog(log.origin).add(4).request(0))).status).toBe(403);
    const [body = '', signature = ''] = (await log.request(0)).split(/(?<=\n)(?=— )/);
    const flipped = signature.replace(/.(?=.{20}\n$)/, (found) => (found === 'A' ? 'B' : 'A'));
    expect(flipped).not.toBe(signature);
    expect((await submit(body + flipped)).status).toBe(403);
    const [, ofLarger] = (await log.add(1).request(0)).split(/(?<=\n)(?=— )/);
    expect((await submit(`${body}${ofLarger}`)).status).toBe(403);
  });

  test('with 409 and the cosigned size if it begins at another size', async () => {
    const log = freshLog().add(20);
    const unknown = await submit(await log.request(10));
    expect(unknown).toEqual({ status: 409, type: 'text/x.tlog.size', text: '0\n' });
    await submit(await log.request(0));
    log.add(5);
    for (const old of [0, 19, 21])
      expect(await submit(await log.request(old))).toEqual({ status: 409, type: 'text/x.tlog.size', text: '20\n' });
    // The log has lost its newest entries, as after a restored backup.
    expect(await submit(await log.fork(15).request(15))).toEqual({ status: 409, type: 'text/x.tlog.size', text: '20\n' });
  });

  test('with 400 if the old size is larger than the checkpoint', async () => {
    const log = freshLog().add(20);
    await submit(await log.request(0));
    expect((await submit((await log.request(0, 10)).replace('old 0', 'old 20'))).status).toBe(400);
  });

  test('with 422 if it is of another history, and the witness stays with the first', async () => {
    const log = freshLog().add(20);
    await submit(await log.request(0));
    const fork = log.fork(15).add(5, 'other');
    expect((await submit(await fork.request(20))).status).toBe(422);
    expect((await submit(await fork.add(80).request(20))).status).toBe(422);
    const longer = await log.add(10).request(20);
    expect((await submit(longer.replace(/\n[^\n]{43}=\n/, '\n'))).status).toBe(422);
    expect((await submit(longer.replace('\n\n', `\n${'A'.repeat(43)}=\n\n`))).status).toBe(422);
    expect((await submit(longer)).status).toBe(200);
  });

  test('with 422 if there is a proof where none is needed', async () => {
    const log = freshLog().add(20);
    expect((await submit((await log.request(0)).replace('\n\n', `\n${'A'.repeat(43)}=\n\n`))).status).toBe(422);
  });

  test('with 400 if it is not a request', async () => {
    const good = await log.request(log.entries.length);
    const bad = [
      '',
      '\n\n',
      'old 0',
      'old 0\n\n',
      good.slice(4),
      good.replace('old ', 'old  '),
      good.replace('old ', 'old 0'),
      good.replace('old ', 'old -'),
      good.replace(/^old \d+/, `old ${'9'.repeat(16)}`),
      good.replace(/^old \d+/, `old ${'9'.repeat(40)}`),
      good.replace('\n\n', '\nnot base64\n\n'),
      good.replace('\n\n', `\n${'A'.repeat(42)}B=\n\n`),
      good.replace('\n\n', `\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n`),
      good.replaceAll('\n', '\r\n'),
      good.slice(0, -1),
      good.slice(0, good.indexOf('— ')),
    ];
    for (const body of bad) expect((await submit(body)).status, JSON.stringify(body.slice(0, 80))).toBe(400);
    const bytes = Buffer.from([...Buffer.from(good), 0xff]);
    expect((await submit(bytes)).status).toBe(400);
  });

  test('any cut and any flipped byte, without a 5xx and without being recorded', async () => {
    const log = freshLog().add(30);
    await submit(await log.request(0));
    const before = await (await checkpointOf(log.origin)).text();
    const good = Buffer.from(await log.add(40).request(30));
    for (let at = 0; at < good.length; at += 7) {
      const flipped = Buffer.from(good);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      for (const bytes of [Buffer.from(good.subarray(0, at)), flipped]) {
        const { status } = await submit(bytes);
        expect([400, 403, 404, 409, 422], `at ${at}`).toContain(status);
      }
    }
    expect(await (await checkpointOf(log.origin)).text()).toBe(before);
  });

  test('with 413 if it is too long, with and without a length', async () => {
    const body = Buffer.alloc(WITNESS_REQUEST_MAX_BYTES + 1, 'a');
    const status = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = http.request(`${url}/add-checkpoint`, { method: 'POST', headers: { ...headers, ...anAddress() } }, (response) =>
          resolve(response.resume().statusCode),
        );
        request.on('error', reject).end(body);
      });
    expect(await status({ 'content-length': String(body.length) })).toBe(413);
    expect(await status({ 'transfer-encoding': 'chunked' })).toBe(413);
  });

  test('at other addresses and by other methods', async () => {
    expect((await get('/add-checkpoint')).status).toBe(405);
    for (const at of ['/', '/checkpoint', '/../add-checkpoint2', `/${'A'.repeat(64)}/checkpoint`, `/${'0'.repeat(64)}/checkpoint`])
      expect((await get(at)).status).toBe(404);
    expect((await get('/healthz')).status).toBe(200);
  });
});

test('who asks too often is told to wait, and others are not', async () => {
  const ask = (address: string) => fetch(`${url}/healthz`, { headers: { 'x-forwarded-for': address } });
  const responses = await Promise.all(Array.from({ length: WITNESS_BURST + 30 }, () => ask('192.0.2.7')));
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect((await ask('192.0.2.8')).status).toBe(200);
});

test('requests that do not go on are ended', async () => {
  const begun = ['POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nold', 'POST /add-check'];
  const since = performance.now();
  const closed = begun.map((text) => {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.on('error', () => {}).write(text);
    return new Promise((resolve) => socket.once('close', resolve).resume());
  });
  await Promise.all(closed);
  expect(performance.now() - since).toBeLessThan(WITNESS_REQUEST_MAX_MS + 5_000);
});

describe('the folder of a witness', () => {
  test('has nothing but the key and a checkpoint for each log', () => {
    expect(readdirSync(folder).sort()).toEqual(['checkpoints', 'witness.key']);
    for (const name of readdirSync(path.join(folder, 'checkpoints'))) expect(name).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is read again as it was', async () => {
    const again = await CosignedCheckpoints.open(folder, readWitnessKey(folder)?.verifier);
    expect(again.of(createHash('sha256').update(log.origin).digest('hex'))?.size).toBe(log.entries.length);
  });

  test('is refused if a checkpoint is damaged, of another witness or of another log', async () => {
    const names = readdirSync(path.join(folder, 'checkpoints'));
    const [one = '', other = ''] = names.map((name) => readFileSync(path.join(folder, 'checkpoints', name), 'utf8'));
    const damaged = [one.slice(0, -10), '', one.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)), other];
    for (const contents of damaged) {
      const copy = temporaryFolder();
      mkdirSync(path.join(copy, 'checkpoints'));
      writeFileSync(path.join(copy, 'checkpoints', names[0] ?? ''), contents);
      await expect(CosignedCheckpoints.open(copy, key.verifier)).rejects.toThrow('is not a checkpoint that this witness has cosigned');
    }
  });

  test('forgets what a killed process had begun to write', async () => {
    writeFileSync(path.join(folder, 'checkpoints', `${'0'.repeat(64)}.1234.new`), 'half');
    await CosignedCheckpoints.open(folder, key.verifier);
    expect(readdirSync(path.join(folder, 'checkpoints')).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});

describe('the limit of one network', () => {
  test('is a burst, and then a rate', () => {
    const limit = new NetworkLimit();
    const admitted = (address: string, at: number) => Array.from({ length: 200 }, () => limit.admits(address, at)).filter(Boolean).length;
    expect(admitted('192.0.2.1', 0)).toBe(WITNESS_BURST);
    expect(admitted('192.0.2.1', 60_000 / WITNESS_PER_MINUTE)).toBe(1);
    expect(admitted('192.0.2.2', 0)).toBe(WITNESS_BURST);
    expect(admitted('2001:db8:1:2::1', 0) + admitted('2001:db8:1:ff::2', 0)).toBe(WITNESS_BURST);
    // All networks of a /48 together have a few times as much.
    const others = Array.from({ length: 16 }, (_, i) => admitted(`2001:db8:1:${(i + 1).toString(16)}00::1`, 0));
    expect(others.reduce((sum, each) => sum + each, WITNESS_BURST)).toBe(WITNESS_BURST * IPV6_SITE_FACTOR);
  });

  test('is kept for a bounded number of networks', () => {
    const limit = new NetworkLimit();
    for (let at = 0; at < WITNESS_BURST; at++) limit.admits('192.0.2.1', 0);
    for (let at = 0; at < WITNESS_NETWORKS_MAX; at++) limit.admits(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, 0);
    expect(limit.admits('192.0.2.1', 0)).toBe(true);
  });
});

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseCheckpoint } from '@waybill/proof';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { Log } from '../../src/modules/log/log.ts';
import { LogKeys } from '../../src/modules/log/log-keys.ts';
import { Tiles } from '../../src/modules/log/tiles.ts';
import { FolderStore } from '../../src/platform/objects/folder-store.ts';
import { UrlSigner } from '../../src/platform/objects/url-signer.ts';
import { SecretBox } from '../../src/platform/secrets/secret-box.ts';
import { databaseUrl } from '../support/database-server.ts';
import { LogReader } from '../support/log.ts';
import { dataFolderOf, runProgram, startProcess, until } from '../support/process.ts';
import { countOf, publishedNote } from '../support/sequencers.ts';
import { createDatabase, startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { ON_CITUS } from '../support/sharded.ts';

async function send(acme: TestBusiness, count: number): Promise<string[]> {
  const sent = await Promise.all(
    Array.from({ length: count }, (_, n) => acme.api.send({ to: 'globex', json: { n, salt: randomBytes(8).toString('hex') } })),
  );
  return sent.map(({ status, body }) => {
    expect(status).toBe(201);
    return body.content_hash;
  });
}

/** Makes unpublished batches older. Their ids have the time. */
async function setBack({ sql }: TestService, seconds: number): Promise<void> {
  const unpublished = await sql<{ id: string }>(
    'SELECT id FROM log_batches WHERE first_index >= (SELECT max(size) FROM log_checkpoints) OR first_index IS NULL',
  );
  for (const { id } of unpublished) {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    bytes.writeUIntBE(bytes.readUIntBE(0, 6) - seconds * 1_000, 0, 6);
    await sql(`WITH older AS (UPDATE log_batches SET id = '${bytes.toString('hex')}' WHERE id = '${id}')
               UPDATE messages SET log_batch = '${bytes.toString('hex')}' WHERE log_batch = '${id}'`);
  }
}

async function copyOf(url: string): Promise<string> {
  const { adminUrl, template } = inject('databaseServer');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query('SELECT pg_advisory_lock(1)');
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${new URL(url).pathname.slice(1)}`);
  } finally {
    await admin.end();
  }
  return databaseUrl(adminUrl, name);
}

// A copy of a Citus database is not one of its nodes.
describe.skipIf(ON_CITUS)('a database that was restored from a backup', () => {
  test('signs nothing, says so, delivers, and goes on in a new log that links the old one', async () => {
    const DATABASE_URL = await createDatabase();
    const DATA_DIR = dataFolderOf(DATABASE_URL);
    const before = await startTestService({ DATABASE_URL, DATA_DIR });
    const acme = await before.business('acme');
    await before.business('globex');
    const early = await send(acme, 10);
    await new LogReader(before.url).until(early);
    const { origin } = (await new LogReader(before.url).wellKnown()).log;
    await before.stop();
    const backup = await copyOf(DATABASE_URL);

    const later = await startTestService({ DATABASE_URL, DATA_DIR });
    await new LogReader(later.url).until(await send({ ...acme, api: acme.api.at(later.url) }, 10));
    await later.stop();
    const published = parseCheckpoint(publishedNote(before) ?? '');

    const restored = await startTestService({ DATABASE_URL: backup, DATA_DIR });
    const lost = await send({ ...acme, api: acme.api.at(restored.url) }, 5);
    const status = async () =>
      JSON.parse((await runProgram('cli', { env: { DATABASE_URL: backup, DATA_DIR }, args: ['log', 'status', '--json'] })).stdout);
    await until(async () => (await status()).fault !== null);
    expect((await status()).fault).toMatch(/with 20 leaves was published, but the database has 10.*waybill log new/);
    const ready = await fetch(`${restored.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ status: 'ok', log: expect.stringContaining('waybill log new') });
    expect(await (await fetch(`${restored.url}/metrics`)).text()).toMatch(/^waybill_log_fault 1$/m);
    // The published checkpoint is unchanged, and is the one that is served.
    expect(parseCheckpoint(publishedNote(before) ?? '')).toEqual(published);
    expect((await new LogReader(restored.url).checkpoint())?.size).toBe(20);

    const started = await runProgram('cli', { env: { DATABASE_URL: backup, DATA_DIR }, args: ['log', 'new', '--json'] });
    expect(started.stderr).toBe('');
    expect(JSON.parse(started.stdout)).toEqual({ origin: `${origin}/2` });
    const reader = new LogReader(restored.url);
    const leaves = await reader.until(lost, '/log/2');
    for (const hash of lost) expect(countOf(leaves, hash)).toBe(1);
    // Earlier leaves keep their index.
    const old = await reader.until(early);
    for (const hash of early) expect(countOf(old, hash)).toBe(1);
    const { log, previous_logs } = await reader.wellKnown();
    expect(log).toMatchObject({ origin: `${origin}/2`, url: `${restored.url}/log/2` });
    expect(previous_logs).toMatchObject([{ origin }]);
    expect((await status()).fault).toBeNull();
    const again = await runProgram('cli', { env: { DATABASE_URL: backup, DATA_DIR }, args: ['log', 'new'] });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('in order');
    // After a restore of both database and files, only the operator knows of it.
    const forced = await runProgram('cli', {
      env: { DATABASE_URL: backup, DATA_DIR },
      args: ['log', 'new', '--reason', 'both restored', '--json'],
    });
    expect(JSON.parse(forced.stdout)).toEqual({ origin: `${origin}/3` });
    await reader.until(await send({ ...acme, api: acme.api.at(restored.url) }, 2), '/log/3');
    await restored.stop();
  });

  test('signs nothing when the object store has lost the checkpoint, until it is back', async () => {
    const service = await startTestService();
    const acme = await service.business('acme');
    await service.business('globex');
    const reader = new LogReader(service.url);
    await reader.until(await send(acme, 3));
    const folder = path.join(dataFolderOf(service.databaseUrl), 'files/named/log/1/checkpoint');
    const note = publishedNote(service) ?? '';
    rmSync(folder, { recursive: true });
    const waiting = await send(acme, 3);
    await until(async () => (await service.sql('SELECT 1 FROM logs WHERE fault IS NOT NULL')).length > 0);
    expect((await reader.checkpoint())?.size).toBe(3);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, '1'), note);
    await reader.until(waiting);
    await service.stop();
  });
});

// The test sets the time of a batch back in its table, which is another one on Citus.
test.skipIf(ON_CITUS)('leaves that have a place and get no checkpoint are counted, and become a fault', async () => {
  const service = await startTestService();
  const acme = await service.business('acme');
  await service.business('globex');
  const reader = new LogReader(service.url);
  await reader.until(await send(acme, 3));
  // Checkpoints are written to this folder before they are renamed.
  const aside = path.join(dataFolderOf(service.databaseUrl), 'files/aside');
  rmSync(aside, { recursive: true, force: true });
  writeFileSync(aside, '');
  const hashes = await send(acme, 2);
  const metric = async (name: string) =>
    Number(new RegExp(`^waybill_log_${name} (.*)$`, 'm').exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]);
  await until(async () => (await metric('unpublished_leaves')) === 2);
  await until(async () => (await metric('waiting_seconds')) > 0);
  expect([await metric('waiting_batches'), await metric('fault')]).toEqual([0, 0]);

  await setBack(service, 600);
  await until(async () => (await metric('fault')) === 1);
  const ready = await fetch(`${service.url}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ log: expect.stringMatching(/^Leaves have waited 6\d\d s for a checkpoint/) });
  const env = { DATABASE_URL: service.databaseUrl, DATA_DIR: dataFolderOf(service.databaseUrl) };
  const { stdout } = await runProgram('cli', { env, args: ['log', 'status', '--json'] });
  expect(JSON.parse(stdout).fault).toMatch(/^Leaves have waited/);

  rmSync(aside);
  await reader.until(hashes);
  await until(async () => (await metric('fault')) === 0);
  await service.stop();
});

test('a tile that is lost or damaged is made again, as it was', async () => {
  const service = await startTestService();
  const acme = await service.business('acme');
  await service.business('globex');
  await new LogReader(service.url).until(await send(acme, 600));
  const reader = new LogReader(service.url);
  const folder = path.join(dataFolderOf(service.databaseUrl), 'files/named/log/1/tile/0');
  const [first, second] = [readFileSync(path.join(folder, '000')), readFileSync(path.join(folder, '001'))];
  rmSync(path.join(folder, '000'));
  writeFileSync(path.join(folder, '001'), Buffer.from(second).fill(7, 100, 101));
  // Another process has no tile in its cache.
  const other = await service.sibling();
  const fresh = new LogReader(other.url);
  expect(Buffer.from(await fresh.tile(0, 0, 256))).toEqual(first);
  expect(Buffer.from(await fresh.tile(0, 1, 256))).toEqual(second);
  expect(readFileSync(path.join(folder, '000'))).toEqual(first);
  expect(readFileSync(path.join(folder, '001'))).toEqual(second);
  expect(Buffer.from(await reader.tile(0, 0, 256))).toEqual(first);
  await other.stop();
  await service.stop();
});

test('a service that is stopped under load has every message in its log after the next start', async () => {
  const settings = { DATABASE_URL: await createDatabase(), RATE_LIMIT_PER_MINUTE: '0', PUBLIC_RATE_LIMIT_PER_MINUTE: '0' };
  const helper = await startTestService({ ...settings }, 'api');
  const acme = await helper.business('acme');
  await helper.business('globex');
  const hashes: string[] = [];
  for (let round = 0; round < 3; round++) {
    const service = await startProcess({ env: settings });
    const api = acme.api.at(service.url);
    let isOver = false;
    const writers = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const sent = await api.send({ to: 'globex', json: randomBytes(8).toString('hex') }).catch(() => undefined);
        if (sent?.status === 201) hashes.push(sent.body.content_hash);
      }
    });
    await until(() => hashes.length > (round + 1) * 300);
    const { code } = await service.stop();
    expect(code).toBe(0);
    isOver = true;
    await Promise.all(writers);
  }
  const last = await startProcess({ env: settings });
  const leaves = await new LogReader(last.url).until(hashes);
  expect(new Set(leaves).size).toBe(leaves.length);
  await last.stop();
  await helper.stop();
});

test('a log goes on when the database is distributed, and leaves from before are still found', async () => {
  const DATABASE_URL = await createDatabase('undistributed');
  const DATA_DIR = dataFolderOf(DATABASE_URL);
  const before = await startTestService({ DATABASE_URL });
  const acme = await before.business('acme');
  await before.business('globex');
  const first = await send(acme, 20);
  await new LogReader(before.url).until(first);
  await before.stop();
  // These batches have no index yet when everything moves.
  const api = await startTestService({ DATABASE_URL }, 'api');
  const waiting = await send({ ...acme, api: acme.api.at(api.url) }, 5);
  await api.stop();
  const distributed = await runProgram('cli', { env: { DATABASE_URL, DATA_DIR }, args: ['distribute', '--shards', '4'] });
  expect(distributed.code, distributed.stderr).toBe(0);
  const after = await startTestService({ DATABASE_URL });
  const later = await send({ ...acme, api: acme.api.at(after.url) }, 20);
  const all = [...first, ...waiting, ...later];
  const leaves = await new LogReader(after.url).until(all);
  for (const hash of all) expect(countOf(leaves, hash)).toBe(1);
  expect(leaves).toHaveLength(all.length);
  const { named } = storeIn(DATA_DIR);
  const keys = new LogKeys(new SecretBox(undefined, []), { operators: undefined, allowsPlaintext: true });
  const log = new Log(after.database, new Tiles(after.database, named), keys, named);
  for (const { sender_id, id, content_hash } of await after.sql<{ sender_id: string; id: string; content_hash: Buffer }>(
    'SELECT DISTINCT sender_id, id, content_hash FROM messages',
  )) {
    const location = await log.locateMessage(BigInt(sender_id), id);
    if (!location || location === 'unlogged') throw new Error('a message has no place');
    expect(leaves[location.index]).toBe(`01${content_hash.toString('hex')}`);
    expect(await log.proofOf(location)).toMatch(/^c2sp.org\/tlog-proof@v1\n/);
  }
  await after.stop();
});

function storeIn(dataFolder: string): FolderStore {
  return new FolderStore(path.join(dataFolder, 'files'), new UrlSigner(Buffer.alloc(32)), '', (_name, work) => work());
}

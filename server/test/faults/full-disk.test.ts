import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, ApiResponse } from '../support/api.ts';
import { killQuietly, processesIn, type ServiceProcess, startProcess, until } from '../support/process.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';

const MEGABYTES = 220;
/** Large enough that a message needs new blocks in tables and WAL. */
const NOTE = 'x'.repeat(9_000);
const PAYLOAD = Array.from({ length: 4_000 }, (_, i) => `${i} ${Math.random()}`);

let disk: SmallDisk;
let service: ServiceProcess;
let acme: Api;

beforeAll(async () => {
  disk = smallDisk(MEGABYTES);
  service = await startProcess({
    env: { DATA_DIR: disk.folder, NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', FREE_DISK_RESERVE_MB: '0', LOG_LEVEL: 'warn' },
  });
  acme = service.api('acme/purchasing');
});
afterAll(async () => {
  if (service) disk.makeRoom(service.pid);
  await service?.stop();
  disk?.remove();
});

const readiness = () => service.api('').request('GET', '/readyz');

/** The messages that got a 201. */
const delivered: string[] = [];

function expectTakenOrUnavailable({ status, headers, body, text }: ApiResponse): void {
  if (status === 201) delivered.push(body.id);
  else {
    expect([status, body?.error?.code], text).toEqual([503, 'unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
}

async function sendSome(count: number): Promise<ApiResponse[]> {
  const message = { to: 'globex/orders', note: NOTE, json: PAYLOAD };
  const responses = await Promise.all(Array.from({ length: count }, () => acme.send(message)));
  for (const response of responses) expectTakenOrUnavailable(response);
  return responses;
}

async function expectRefusedWhileFull(): Promise<void> {
  await until(async () => (await sendSome(8)).every(({ status }) => status === 503));
  for (let i = 0; i < 10; i++) {
    await sendSome(4);
    const { status, headers } = await readiness();
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (const path of ['/inbox', '/outbox', '/me', '/contacts', '/agents'])
      expect([200, 503], path).toContain((await acme.get(path)).status);
    await sleep(200);
  }
}

async function expectRecovery(): Promise<void> {
  await until(async () => (await readiness()).status === 200);
  // No accepted message is lost, and sending works again.
  await until(async () => (await sendSome(4)).every(({ status }) => status === 201));
  const globex = service.api('globex/orders');
  for (const id of delivered) expect((await globex.get(`/messages/${id}`)).status, id).toBe(200);
}

test('a full disk gives 503 and never anything else; with room again, the service goes on by itself, with all it has said was delivered', async () => {
  await sendSome(8);
  expect(delivered, disk.kind).toHaveLength(8);
  for (let round = 0; round < 2; round++) {
    disk.fill(service.pid);
    await expectRefusedWhileFull();
    disk.makeRoom(service.pid);
    await expectRecovery();
  }
});

test('it goes on by itself too after PostgreSQL was killed while the disk was full', async () => {
  disk.fill(service.pid);
  await until(async () => (await sendSome(8)).every(({ status }) => status === 503));
  // The service may have stopped by itself.
  for (const pid of processesIn(disk.folder)) killQuietly(pid);
  await expectRefusedWhileFull();
  disk.makeRoom(service.pid);
  await expectRecovery();
});

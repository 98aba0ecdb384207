import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startProcess, temporaryFolder } from '../support/process.ts';
import { openSocket } from '../support/raw-http.ts';
import { someBytes, upload } from '../support/transfer.ts';

const MESSAGES = 12;
const PLAIN = { 'accept-encoding': 'identity' };
const UNREAD_OF_EACH_KIND = 60;

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

async function readAll(api: Api, ids: string[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++)
    // A burst may lead to 503, as long as it ends.
    await Promise.all(ids.map(async (id) => expect([200, 503]).toContain((await api.get(`/messages/${id}`, PLAIN)).status)));
}

test('within a minute after a burst of large responses, read and unread, the process stands where it stood before', async () => {
  const service = await startProcess({
    env: { DATA_DIR: temporaryFolder(), RATE_LIMIT_PER_MINUTE: '0', NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' },
  });
  const api = service.api('acme/purchasing');
  const ids: string[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    const { body } = await api.send({ to: 'globex', json: { text: randomBytes(500_000).toString('hex') } });
    ids.push(body.id);
  }
  const { body } = await api.send({ to: 'globex', files: [await upload(api, someBytes(20_000_000))] });
  const downloadPath = body.files[0].download_url.slice(service.url.length);
  await readAll(api, ids, 3);
  await sleep(3_000);
  const before = residentMb(service.pid);

  const sockets: Socket[] = [];
  for (let i = 0; i < UNREAD_OF_EACH_KIND; i++)
    for (const path of [downloadPath, `/v1/messages/${ids[i % MESSAGES]}`]) {
      const socket = (await openSocket(service.url)).pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.secret}\r\n\r\n`.repeat(path === downloadPath ? 1 : 8));
      sockets.push(socket);
    }
  // The other business reads, because the share of the first is used up.
  await readAll(service.api('globex/orders'), ids, 10);
  // Unread bytes are held, but no more than the budget of one business and the buffers of its downloads.
  expect(residentMb(service.pid) - before).toBeLessThan(400);
  for (const socket of sockets) socket.destroy();

  await expect.poll(() => residentMb(service.pid) / before, { timeout: 60_000, interval: 1_000 }).toBeLessThan(1.5);
  // The memory stays at that level.
  await sleep(2_000);
  expect(residentMb(service.pid) / before).toBeLessThan(1.5);
  await service.stop();
});

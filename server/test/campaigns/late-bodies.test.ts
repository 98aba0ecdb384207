import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Longer than the service waits for the rest of an unwanted body. */
const LONG_ENOUGH_MS = 12_000;
const PATIENTLY = { timeout: LONG_ENOUGH_MS * 3, interval: 200 };
const REFUSED = 'POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n';

function connected() {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const seen = { text: '', isClosed: false };
  socket.on('data', (bytes) => {
    seen.text += bytes;
  });
  socket.on('close', () => {
    seen.isClosed = true;
  });
  const responses = () => seen.text.match(/HTTP\/1\.1 \d+/g) ?? [];
  return { socket, seen, responses };
}

test('a connection stays in use after a refused body that came late, and is closed after one that never came', async () => {
  const [whole, cut] = [connected(), connected()];
  for (const { socket, responses } of [whole, cut]) {
    socket.write(REFUSED);
    await expect.poll(responses, PATIENTLY).toEqual(['HTTP/1.1 401']);
  }
  whole.socket.write('{"a":');
  const since = performance.now();
  await expect.poll(() => cut.seen.isClosed, PATIENTLY).toBe(true);
  await expect.poll(() => performance.now() - since, PATIENTLY).toBeGreaterThan(LONG_ENOUGH_MS);
  whole.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(whole.responses, PATIENTLY).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  whole.socket.destroy();
});

test('a connection that never ends the head of its request gets 408 and is closed', async () => {
  const { socket, seen } = connected();
  // A byte may be written after the service has closed the connection.
  socket.on('error', () => {});
  socket.write('GET /v1/me HTTP/1.1\r\nHost: x\r\n');
  // A byte at intervals does not extend the time limit.
  const drip = setInterval(() => socket.write('X: y\r\n'), 1_000);
  await expect.poll(() => seen.isClosed, { timeout: 60_000, interval: 200 }).toBe(true);
  clearInterval(drip);
  expect(seen.text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"validation_error"/);
});

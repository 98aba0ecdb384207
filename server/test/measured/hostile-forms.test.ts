import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BOUNDARY, type FormPart, formBody, sendForm, typeOfForm } from '../support/form.ts';
import { type FormService, startFormService } from '../support/form-service.ts';
import { exchange, openSocket } from '../support/raw-http.ts';
import type { TestBusiness } from '../support/service.ts';

const KB = 1_024;
const MB = 1_024 * KB;
const TYPE = typeOfForm()['content-type'];
const TO: FormPart = { name: 'to', bytes: 'globex' };

let service: FormService;
let acme: TestBusiness;
let before: unknown;
const open: Socket[] = [];

beforeAll(async () => {
  service = await startFormService();
  acme = await service.business('acme');
  await service.business('globex');
  await sendForm(acme.api, [TO, { filename: 'warm up', bytes: 'x' }]);
});
afterAll(() => service.stop());

beforeEach(async () => {
  before = await service.traces();
});

/** After every test, others are served, and nothing stays of a client that has gone. */
afterEach(async () => {
  expect((await acme.api.get('/me')).status).toBe(200);
  for (const socket of open.splice(0)) socket.destroy();
  await vi.waitFor(async () => expect(await service.traces()).toEqual(before), 60_000);
});

const head = (framing: string, type = TYPE) =>
  `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`;
const whole = (body: string | Uint8Array, type?: string) =>
  Buffer.concat([Buffer.from(head(`Content-Length: ${Buffer.from(body as string).length}`, type)), Buffer.from(body as string)]);

async function connected(): Promise<Socket> {
  const socket = await openSocket(service.url);
  open.push(socket);
  return socket;
}

/** The processor time of this process in milliseconds, so that other load on the machine does not count. */
async function workOf(task: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

async function expectRefused(request: Buffer, reason: RegExp): Promise<void> {
  let text = '';
  const work = await workOf(async () => {
    text = (await exchange(service.url, request, { quietMs: 30 })).text;
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"validation_error"/);
  expect(text).toMatch(reason);
  expect(work).toBeLessThan(1_000);
}

describe('refused with validation_error in under a second of work, and nothing left behind', () => {
  const parts = (count: number, part: (i: number) => FormPart) => () => formBody([TO, ...Array.from({ length: count }, (_, i) => part(i))]);
  const part = (headers: string) => () => Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`);

  test.each<[string, RegExp, () => Buffer]>([
    ['10,000 files', /at most 100/, parts(10_000, (i) => ({ filename: `${i}`, bytes: 'x' }))],
    ['10,000 fields of different names', /n0: is not a field/, parts(10_000, (i) => ({ name: `n${i}`, bytes: 'x' }))],
    ['10,000 times the same field', /more than once/, parts(10_000, () => TO)],
    ['10,000 parts without headers', /without a name/, parts(10_000, () => ({ head: '' }))],
    ['10,000 boundaries in a row', /too long a header/, () => Buffer.from(`--${BOUNDARY}\r\n`.repeat(10_000))],
    ['100 files and 10,000 fields', /at most 100|not a field/, parts(10_000, (i) => (i < 100 ? { filename: 'f' } : { name: 'f' }))],
    ['a header of 20 MB', /too long a header/, part(`Content-Disposition: form-data; name="${'x'.repeat(20 * MB)}"`)],
    ['a million headers', /too long a header/, part('X-Header: x\r\n'.repeat(1_000_000))],
    ['32 KB of semicolons', /broken header/, part(`Content-Disposition: form-data${'; '.repeat(16 * KB - 100)}`)],
    ['32 KB of quotes', /broken header/, part(`Content-Disposition: form-data; name=${'"'.repeat(32 * KB - 100)}`)],
    ['32 KB of backslashes', /broken header/, part(`Content-Disposition: form-data; name="${'\\'.repeat(32 * KB - 100)}`)],
    ['32 KB of parameters', /broken header/, part(`Content-Disposition: form-data${';a=b'.repeat(8 * KB - 100)}`)],
    ['20 MB that never begin with the boundary', /begin with its boundary/, () => Buffer.alloc(20 * MB, 'x')],
    ['20 MB of line breaks', /begin with its boundary/, () => Buffer.alloc(20 * MB, '\r\n')],
    ['garbage after a boundary', /broken boundary/, () => Buffer.from(`--${BOUNDARY}garbage\r\n${'x'.repeat(MB)}`)],
    [
      'garbage after the boundary that ends a file',
      /broken boundary/,
      () => Buffer.from(formBody([TO, { filename: 'f', bytes: `x\r\n--${BOUNDARY}garbage` }])),
    ],
    ['a form that never ends', /ended in the middle/, () => formBody([TO, { filename: 'f', bytes: 'x'.repeat(MB) }]).subarray(0, -5)],
    ['nothing', /ended in the middle/, () => Buffer.alloc(0)],
    ['JSON', /ended in the middle/, () => Buffer.from('{"to":"globex"}')],
    [
      'a form inside of a form',
      /is not a field/,
      () =>
        formBody([
          TO,
          {
            name: 'attachments',
            head: 'Content-Disposition: form-data; name="attachments"\r\nContent-Type: multipart/mixed; boundary=inner',
            bytes: formBody([{ filename: 'f' }], 'inner'),
          },
        ]),
    ],
  ])('%s', async (_, reason, body) => {
    await expectRefused(whole(body()), reason);
  });

  test.each([
    ['no boundary', 'multipart/form-data'],
    ['no boundary but a semicolon', 'multipart/form-data;'],
    ['an empty boundary', 'multipart/form-data; boundary='],
    ['a boundary of 71 characters', `multipart/form-data; boundary=${'x'.repeat(71)}`],
    ['a boundary of 15,000 characters', `multipart/form-data; boundary=${'x'.repeat(15_000)}`],
    ['15,000 spaces before the boundary', `multipart/form-data;${' '.repeat(15_000)}x`],
  ])('a content type with %s', async (_, type) => {
    await expectRefused(whole(formBody([TO], 'x'.repeat(71)), type), /no boundary/);
  });
});

test('others are served while hostile forms pour in', async () => {
  const many = whole(formBody(Array.from({ length: 10_000 }, (_, i) => ({ filename: `${i}` }))));
  const flood = Array.from({ length: 20 }, () => exchange(service.url, many, { patienceMs: 30_000 }));
  const others = await Promise.all(Array.from({ length: 20 }, () => acme.api.get('/inbox')));
  expect(others.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(20).fill(400));
});

describe('a body whose length is a lie', () => {
  const form = formBody([TO, { filename: 'f', bytes: 'x'.repeat(100_000) }]);

  test('is refused when it is longer than promised, and the rest is not taken for a request that does anything', async () => {
    const smuggled = Buffer.concat([form.subarray(0, -500), whole(formBody([TO]))]);
    const request = Buffer.concat([Buffer.from(head(`Content-Length: ${form.length - 500 - 100}`)), smuggled]);
    const { text } = await exchange(service.url, request);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).not.toContain(' 201 ');
  });

  test.each([
    ['shorter than promised', () => Buffer.concat([Buffer.from(head(`Content-Length: ${form.length + 1}`)), form.subarray(0, -10)])],
    [
      'cut off between chunks',
      () => Buffer.concat([Buffer.from(`${head('Transfer-Encoding: chunked')}3e8\r\n`), form.subarray(0, 1_000), Buffer.from('\r\n')]),
    ],
    [
      'cut off inside of a chunk',
      () => Buffer.concat([Buffer.from(`${head('Transfer-Encoding: chunked')}ffff\r\n`), form.subarray(0, 1_000)]),
    ],
    ['promised, and never sent', () => Buffer.from(head('Content-Length: 1000000'))],
  ])('is refused when it is %s', async (_, request) => {
    const { status, closed } = await exchange(service.url, request(), { halfClose: true });
    expect([400, undefined]).toContain(status);
    expect(closed).toBe(true);
  });
});

describe('a client', () => {
  const start = formBody([TO, { filename: 'a', bytes: 'x' }, { filename: 'b', bytes: 'x'.repeat(300_000) }]).subarray(0, 200_000);
  /** A client whose second file is partly on disk. */
  const inTheMiddle = async (): Promise<Socket> => {
    const socket = await connected();
    socket.write(Buffer.concat([Buffer.from(head('Content-Length: 30000000')), start]));
    return socket;
  };
  const written = () => vi.waitFor(async () => expect(service.held().length).toBeGreaterThan(0), 60_000);

  test('that goes away in the middle of a file leaves no bytes, no temporary file and no open descriptor', async () => {
    for (const leave of [
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.destroy(),
      (socket: Socket) => socket.end(),
    ]) {
      const socket = await inTheMiddle();
      await written();
      leave(socket);
      await vi.waitFor(async () => expect(await service.traces()).toEqual(before), 60_000);
    }
  });

  test('that stops sending keeps nobody else waiting', async () => {
    await Promise.all(Array.from({ length: 50 }, inTheMiddle));
    await written();
    const responses = await Promise.all(Array.from({ length: 20 }, () => acme.api.get('/me')));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  test('that goes on sending what was refused gets its response meanwhile', async () => {
    const socket = await connected();
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(`${head('Content-Length: 1000000000000')}--${BOUNDARY}\r\n`);
    while (text === '') {
      socket.write('X-Header: endless\r\n'.repeat(100));
      await sleep(1);
    }
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*too long a header/);
  });

  test.each([
    ['in the head of a part', formBody([{ head: 'nonsense' }, { filename: 'f', bytes: Buffer.alloc(40 * MB) }]), 400],
    ['in the middle of a file', formBody([TO, { filename: 'f', bytes: Buffer.alloc(60 * MB) }]), 413],
  ])(
    'that reads only after it has sent all of a large form, refused %s, gets the response, and the next one too',
    async (_, form, status) => {
      const socket = await connected();
      socket.pause();
      await new Promise((sent) => socket.write(whole(form), sent));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.resume();
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await vi.waitFor(() => expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200']), 60_000);
    },
  );
});

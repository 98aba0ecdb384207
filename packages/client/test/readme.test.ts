import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../server/test/support/free-port.ts';
import { receiverSettings } from '../../../server/test/support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { Waybill } from '../src/index.ts';

const PACKAGE = path.resolve(import.meta.dirname, '..');
const SECTIONS = readFileSync(path.join(PACKAGE, 'README.md'), 'utf8').split(/^## /m);
/** Key: section. Value: its first example. */
const CODE = new Map(
  SECTIONS.map((section, index) => [
    index === 0 ? 'Begin' : (section.split('\n', 1)[0] ?? ''),
    /^```ts\n([\s\S]*?)^```/m.exec(section)?.[1] ?? '',
  ]),
);
/** The lines with which all other examples begin. */
const BEGIN = CODE.get('Begin')?.split('const { business }')[0] ?? '';

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
let [sender, recipient] = [] as unknown as [Waybill, Waybill];
/** A folder inside the package, so that the package finds itself by its name. */
const folder = mkdtempSync(path.join(PACKAGE, '.examples-'));
const bytes = randomBytes(100_000);

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  [acme, globex] = [await service.business('acme'), await service.business('globex', { segment: 'orders' })];
  [sender, recipient] = [acme, globex].map(({ secret }) => new Waybill({ baseUrl: service.url, key: secret })) as [Waybill, Waybill];
  writeFileSync(path.join(folder, 'scan.tiff'), bytes);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.stop();
});

function run(title: string, { secret }: TestBusiness, env: Record<string, string> = {}) {
  const file = path.join(folder, `${title.replaceAll(' ', '-')}.ts`);
  writeFileSync(file, title === 'Begin' ? (CODE.get(title) ?? '') : `${BEGIN}${CODE.get(title)}`);
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { PATH: process.env['PATH'], WAYBILL_URL: service.url, WAYBILL_KEY: secret, ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (output.stdout += text));
  child.stderr.on('data', (text) => (output.stderr += text));
  const ended = new Promise<string>((resolve, reject) => {
    child.once('close', (code) => (code === 0 ? resolve(output.stdout) : reject(new Error(`exit ${code}: ${output.stderr}`))));
  });
  return { child, output, ended };
}

const EXAMPLES: Record<string, () => Promise<void>> = {
  Begin: async () => expect(await run('Begin', acme).ended).toBe('I am acme.\n'),
  Send: async () => {
    const [id = '', url] = (await run('Send', acme).ended).trim().split(' ');
    expect(await recipient.message(id)).toMatchObject({ type: 'order', receipt_url: url });
  },
  'Read and reply': async () => {
    const sent = await sender.send({ to: 'globex', type: 'order', json: { items: [1, 2] } });
    expect(await run('Read and reply', globex).ended).toBe('The acme company 2\n');
    expect(await sender.inbox({ type: 'order.confirmed' }).take(1)).toMatchObject([{ in_reply_to: sent.id }]);
  },
  'JSON as it was sent': async () => {
    await sender.send({ to: 'globex', type: 'invoice', jsonText: '{"number": 12345678901234567890}' });
    expect(await run('JSON as it was sent', globex).ended).toBe('{"number": 12345678901234567890}\n12345678901234567890n\n');
  },
  'Send a large file': async () => {
    const { ended, output } = run('Send a large file', acme);
    expect(await ended).toBe('true\n');
    expect(output.stderr).toContain('100 %');
    expect((await recipient.inbox().take(1))[0]?.files).toMatchObject([{ filename: 'scan.tiff', size_bytes: bytes.length }]);
  },
  'Download files': async () => {
    await sender.send({ to: 'globex', type: 'scan', files: [new Blob([bytes])] });
    await run('Download files', globex).ended;
    expect(readFileSync(path.join(folder, 'scan-0.tiff')).equals(bytes)).toBe(true);
  },
  'Take messages with workers': async () => {
    const { id } = await sender.send({ to: 'globex', type: 'order' });
    const { child, output, ended } = run('Take messages with workers', globex);
    await expect.poll(() => output.stdout, { timeout: 60_000 }).toContain(`working on ${id} 1\n`);
    child.kill('SIGTERM');
    await ended;
    expect(await recipient.consumer('order-desk').get()).toMatchObject({ lag: 0, leased: 0 });
  },
  'Receive webhooks': async () => {
    const port = String(await freePort());
    const { secret } = await recipient.request('POST /v1/webhooks', { body: { url: `http://127.0.0.1:${port}/` } });
    const { child, output, ended } = run('Receive webhooks', globex, { PORT: port, WEBHOOK_SECRET: secret });
    const refused = async () => (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).catch(() => undefined))?.status;
    await expect.poll(refused, { timeout: 60_000 }).toBe(400);
    const { id } = await sender.send({ to: 'globex' });
    await expect.poll(() => output.stdout, { timeout: 60_000 }).toContain(`received ${id}\n`);
    child.kill('SIGTERM');
    await ended;
  },
  'Follow an inbox': async () => {
    const { ended, output } = run('Follow an inbox', globex);
    await expect.poll(() => output.stdout.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await sender.send({ to: 'globex', subject: 'Go on' });
    await sender.send({ to: 'globex', subject: 'Stop' });
    expect(await ended).toMatch(/Z Go on\n.*Z Stop\n$/);
  },
  'Work on threads': async () => {
    const [open] = await recipient.threads({ status: 'open', box: 'in' }).take(1);
    await run('Work on threads', globex).ended;
    expect((await recipient.thread(open?.id ?? '').page()).state).toMatchObject({
      status: 'done',
      labels: ['urgent'],
      assignee: { id: globex.agentId },
    });
  },
  'Handle errors': async () => expect(await run('Handle errors', acme).ended).toBe('Check the handle.\n'),
  'Prove a delivery': async () => expect(await run('Prove a delivery', acme).ended).toContain("content: 'matches'"),
  'Everything else': async () => expect(await run('Everything else', acme).ended).toMatch(/^\d+\n$/),
};

test('all examples of the README are run', () => {
  expect(Object.keys(EXAMPLES)).toEqual([...CODE.keys()]);
  expect(Object.keys(EXAMPLES).length).toBeGreaterThanOrEqual(10);
});

test.each(Object.keys(EXAMPLES))('example: %s', async (title) => {
  await EXAMPLES[title]?.();
});

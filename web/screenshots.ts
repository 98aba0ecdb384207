import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { embeddedConnection } from '../server/src/platform/postgres/embedded-postgres.ts';
import { CHROMIUM_MISSING, chromiumPath, ensureChromium } from '../server/test/chromium.ts';
import type { Browser } from '../server/test/support/browser.ts';
import { signInWithKeptCode } from '../server/test/support/kept-code.ts';
import { MemberApi } from '../server/test/support/member.ts';
import { PARTNERS, SCHEMA, SENT } from './screenshot-data.ts';

/** Takes the screenshots of the README, of a separate service with real messages. */
const FOLDER = path.resolve(import.meta.dirname, '../docs/screenshots');
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

if (!ensureChromium(process.env['WAYBILL_TEST_INSTALL'])) throw new Error(CHROMIUM_MISSING);
const data = mkdtempSync(path.join(os.tmpdir(), 'waybill-screenshots-'));
const receiver = createServer((request, response) => request.resume().on('end', () => response.end())).listen(0, '127.0.0.1');
const service = spawn(process.execPath, [path.resolve(import.meta.dirname, '../server/src/main.ts')], {
  env: {
    ...process.env,
    DATA_DIR: data,
    PORT: '0',
    WEBHOOK_PRIVATE_HOSTS: 'localhost,127.0.0.1',
    PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const url = await addressOf(service);
  await takeAll(url);
} finally {
  const exited = new Promise((resolve) => service.once('exit', resolve));
  service.kill('SIGTERM');
  await exited;
  receiver.close();
  rmSync(data, { recursive: true, force: true });
}

async function takeAll(url: string): Promise<void> {
  const acme = await claim(url, 'ann@acme-works.test', 'acme-works', 'Acme Works');
  const { messages, webhookId } = await fill(url, acme);
  const browser = await chromium.launch({ executablePath: chromiumPath() as string, args: ['--no-sandbox'] });
  const inColours = async (colorScheme: 'light' | 'dark', viewport: typeof WIDE, jar?: Browser): Promise<BrowserContext> => {
    const context = await browser.newContext({ baseURL: url, viewport, colorScheme, deviceScaleFactor: 1.5 });
    if (jar) await context.addCookies([...jar.cookies()].map(([name, { value }]) => ({ name, value, url })));
    return context;
  };
  mkdirSync(FOLDER, { recursive: true });
  const take = async (name: string, context: BrowserContext, address: string, ready: (page: Page) => Promise<unknown>) => {
    const page = await context.newPage();
    await page.goto(address);
    await ready(page);
    await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
    console.log(`docs/screenshots/${name}.png`);
  };
  const [light, dark] = [await inColours('light', WIDE, acme.browser), await inColours('dark', WIDE, acme.browser)];
  const phone = await inColours('light', PHONE);
  const order = messages.find(({ subject }) => subject === 'Order 4711') as Sent;
  const text = (wanted: string) => (page: Page) => page.getByText(wanted).first().waitFor();
  await take('inbox', light, '/inbox', text('Order 4711'));
  await take('thread', dark, `/threads/${order.thread_id}`, (page) => page.getByText('Flour, 25 kg').first().waitFor());
  await take('webhook', light, `/webhooks/${webhookId}`, (page) => page.locator('figure svg').first().waitFor());
  await take('schema', dark, '/schema', async (page) => {
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.cm-editor').first().waitFor();
  });
  await take('compose', light, '/compose', (page) => page.getByRole('heading', { level: 1 }).waitFor());
  await take('receipt', phone, new URL(order.receipt_url).pathname, text('Order 4711'));
  await take('drop', phone, '/@acme-works', text('Acme Works'));
  await browser.close();
}

interface Sent {
  id: string;
  thread_id: string;
  subject: string;
  receipt_url: string;
}

async function claim(url: string, email: string, handle: string, displayName: string): Promise<MemberApi> {
  const person = await signInWithKeptCode(url, email, query);
  await person.post('/v1/businesses', { handle, display_name: displayName });
  return new MemberApi(person, handle);
}

async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client(embeddedConnection(data));
  await client.connect();
  try {
    return await client.query<Row>(text, values);
  } finally {
    await client.end();
  }
}

async function fill(url: string, acme: MemberApi): Promise<{ messages: Sent[]; webhookId: string }> {
  const schema = `{"schema":${JSON.stringify(SCHEMA, null, 2)}}`;
  await acme.browser.request('PUT', '/v1/inbox/schema', {
    body: schema,
    headers: { 'content-type': 'application/json', 'waybill-business': acme.handle },
  });
  const { body: webhook } = await acme.post('/webhooks', { url: `http://localhost:${(receiver.address() as AddressInfo).port}/waybill` });
  const partners = new Map<string, MemberApi>();
  for (const [handle, name] of PARTNERS) partners.set(handle, await claim(url, `post@${handle}.test`, handle, name));
  const messages: Sent[] = [];
  for (const [handle, draft] of SENT) {
    const { browser } = partners.get(handle) as MemberApi;
    const body = JSON.stringify({ to: 'acme-works', ...draft }).replace(/"#(\d+)"/g, '$1');
    const headers = { 'content-type': 'application/json', 'waybill-business': handle };
    messages.push((await browser.request('POST', '/v1/messages', { body, headers })).body as Sent);
  }
  const order = messages.find(({ subject }) => subject === 'Order 4711') as Sent;
  await acme.post('/messages', {
    in_reply_to: order.id,
    type: 'order.confirmation',
    note: 'Confirmed. It leaves our dock on Thursday.',
    json: { number: 'OC-204', issue_date: '2026-03-10', order_number: 'PO-4711', status: 'accepted', lines: [] },
  });
  await workOn(acme, messages);
  await spreadOverTime();
  return { messages, webhookId: webhook.id };
}

async function workOn(acme: MemberApi, messages: Sent[]): Promise<void> {
  await acme.browser.request('PATCH', '/v1/account', { body: { name: 'Ann Example' } });
  const { body: agent } = await acme.post('/agents', { name: 'Order desk' });
  for (const [i, { thread_id }] of messages.entries()) {
    await acme.post(`/threads/${thread_id}/read`, { unread: i % 3 === 1 });
    if (i % 4 === 0) await acme.patch(`/threads/${thread_id}`, { assignee: i % 8 === 0 ? 'me' : agent.id, add_labels: ['this week'] });
  }
  const order = messages.find(({ subject }) => subject === 'Order 4711') as Sent;
  await acme.post(`/threads/${order.thread_id}/comments`, { text: 'There is enough flour for this, I have checked.' });
}

/**
 * Spreads all threads over a day, so that times and charts have something to show. The newest one stays: its receipt is shown as verified.
 */
async function spreadOverTime(): Promise<void> {
  const isWaiting = async () => (await query(`SELECT FROM webhook_attempts WHERE attempted_at IS NULL LIMIT 1`)).rowCount;
  while (await isWaiting()) await new Promise((resolve) => setTimeout(resolve, 100));
  await query(
    `WITH numbered AS (SELECT sender_id, id, row_number() OVER (ORDER BY received_at DESC) AS n FROM messages)
     UPDATE messages m SET received_at = received_at - (n * n * 9 - 8) * interval '1 minute' FROM numbered WHERE numbered.id = m.id AND n > 2`,
  );
  await query(
    `UPDATE threads t SET last_position = floor(extract(epoch FROM m.received_at) * 1000)::bigint * 4096 FROM messages m WHERE m.id = t.last_message_id`,
  );
  await query(
    `UPDATE thread_labels l SET last_position = t.last_position FROM threads t WHERE t.party_id = l.party_id AND t.thread_id = l.thread_id`,
  );
  await query(
    `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, status, due_at, status_code, response_ms, error, created_at, attempted_at)
     SELECT a.party_id, a.webhook_id, new_uuid(t.at), a.message_id, a.event, 1,
            (CASE WHEN n % 23 = 0 THEN 'failed' ELSE 'delivered' END)::attempt_status, t.at, CASE WHEN n % 23 = 0 THEN 503 ELSE 200 END,
            20 + (n * 37) % 60 + CASE WHEN n % 9 = 0 THEN 140 ELSE 0 END, CASE WHEN n % 23 = 0 THEN 'responded with 503 instead of a status from 200 to 299' END, t.at, t.at
       FROM (SELECT * FROM webhook_attempts LIMIT 1) a, generate_series(1, 420) n, LATERAL (SELECT now() - (n * 3.4 + 20 * sin(n / 40.0) + 30) * interval '1 minute' AS at) t`,
  );
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', () => reject(new Error(`The service did not start: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
      const match = /API\s+(http:\/\/[\d.]+:\d+)\/v1/.exec(output);
      if (match) resolve(match[1] as string);
    });
  });
}

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimedBy } from '../../../server/test/support/businesses.ts';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../../../server/test/support/receiver.ts';
import { holdSearchIndex } from '../../../server/test/support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { verifyWebhook, Waybill } from '../../client/src/index.ts';
import { CommandLine } from './support/command-line.ts';

let service: TestService;
let receiver: Receiver;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
let [sender, recipient] = [] as unknown as [Waybill, Waybill];
let [asAcme, asGlobex] = [] as unknown as [CommandLine, CommandLine];
const folder = temporaryFolder();

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver({ plain: true });
  [acme, globex] = [await service.business('acme'), await service.business('globex', { segment: 'orders' })];
  [sender, recipient] = [acme, globex].map(({ secret }) => new Waybill({ baseUrl: service.url, key: secret })) as [Waybill, Waybill];
  [asAcme, asGlobex] = [acme, globex].map(
    ({ secret }) => new CommandLine({ HOME: folder, WAYBILL_URL: service.url, WAYBILL_KEY: secret }),
  ) as [CommandLine, CommandLine];
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

async function vkeyOf({ anonymous }: TestService): Promise<string> {
  return (await anonymous.request('GET', '/.well-known/waybill.json')).body.log.vkey;
}

const JSON_TEXT = '{ "big": 12345678901234567890,\n "total": 1.0 }';

describe('login', () => {
  const home = temporaryFolder();
  const plain = new CommandLine({ HOME: home });

  test('checks the key, stores it for its owner only, and other commands use it', async () => {
    const { stdout } = await plain.succeed('login', '--url', service.url, '--key', acme.secret);
    expect(stdout).toContain('Logged in to The acme company (acme)');
    const file = path.join(home, '.config/waybill/profiles.json');
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect((await plain.json('whoami')).business.handle).toBe('acme');
    expect((await plain.succeed('whoami')).stdout).toContain('acme');
  });

  test('keeps several profiles, of which one is in use', async () => {
    await plain.run(['login', '--profile', 'other', '--url', service.url, '--key', '-'], { stdin: `${globex.secret}\n` });
    expect((await plain.json('whoami')).business.handle).toBe('globex');
    expect((await plain.json('whoami', '--profile', 'default')).business.handle).toBe('acme');
    await plain.succeed('profiles', 'default');
    expect((await plain.json('whoami')).business.handle).toBe('acme');
    const listed = await plain.succeed('profiles', '--json');
    expect(listed.stdout).not.toContain(acme.secret);
    expect(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    ).toEqual(['default', 'other']);
    await plain.succeed('logout', '--profile', 'other');
    expect((await plain.run(['whoami', '--profile', 'other'])).code).toBe(2);
  });

  test('asks a person in the browser, if no key is given', async () => {
    const owner = await claimedBy(service, 'ann@device-login.test', 'device-login');
    const agent_id = (await owner.post('/agents', { name: 'Command line' })).body.id;
    const fresh = new CommandLine({ HOME: temporaryFolder() });
    const codeOf = async ({ output }: ReturnType<CommandLine['start']>) => {
      await expect.poll(() => output.stderr, { timeout: 60_000 }).toContain('Enter the code ');
      return /Enter the code ([A-Z-]+)/.exec(output.stderr)?.[1] ?? '';
    };
    const login = fresh.start('login', '--url', service.url);
    const code = await codeOf(login);
    expect(login.output.stderr).toContain(`Open ${service.url}/device\n`);
    expect((await owner.post(`/device-logins/${code}`, { agent_id, scope: 'read' })).status).toBe(204);
    expect((await login.ended).code).toBe(0);
    expect(await fresh.json('whoami')).toMatchObject({
      business: { handle: 'device-login' },
      key: { scope: 'read' },
      agent: { id: agent_id },
    });
    const refused = fresh.start('login', '--profile', 'refused', '--url', service.url);
    await owner.browser.request('DELETE', `/v1/device-logins/${await codeOf(refused)}`);
    expect(await refused.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('refused') });
  });

  test('stores nothing if the key is wrong', async () => {
    const fresh = new CommandLine({ HOME: temporaryFolder() });
    const { code, stderr } = await fresh.run(['login', '--url', service.url, '--key', 'wb_wrong']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('Log in with a valid key')]);
    expect(existsSync(path.join(fresh.home, '.config'))).toBe(false);
  });

  test('never sends the key of a profile to another address', async () => {
    const { code } = await plain.run(['whoami', '--url', receiver.url()]);
    expect(code).not.toBe(0);
    expect(receiver.deliveries.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    receiver.deliveries.length = 0;
  });
});

describe('messages', () => {
  test('are sent with JSON from stdin, a file or the command line, byte for byte', async () => {
    const file = path.join(folder, 'order.json');
    writeFileSync(file, JSON_TEXT);
    for (const [data, stdin] of [
      ['-', JSON_TEXT],
      [`@${file}`, ''],
      [JSON_TEXT, ''],
    ] as const) {
      const { stdout } = await asAcme.run(['send', 'globex/orders', '-t', 'order', '--data', data, '--json'], { stdin });
      expect((await recipient.message(JSON.parse(stdout).id)).jsonText).toBe(JSON_TEXT);
    }
    const { code, stderr } = await asAcme.run(['send', 'globex', '--data', '{']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--data is not JSON')]);
  });

  test('carry files', async () => {
    const bytes = randomBytes(200_000);
    writeFileSync(path.join(folder, 'scan.bin'), bytes);
    const { id } = await asAcme.json('send', 'globex', '--subject', 'The scan', '--file', path.join(folder, 'scan.bin'));
    const [file] = (await recipient.message(id)).files;
    expect(file).toMatchObject({ filename: 'scan.bin', size_bytes: bytes.length });
    const target = path.join(folder, 'received.bin');
    await asGlobex.succeed('download', file?.id ?? '', target);
    expect(readFileSync(target).equals(bytes)).toBe(true);
    expect((await asAcme.run(['send', 'globex', '--file', path.join(folder, 'missing')])).code).toBe(2);
  });

  test('are sent once with an idempotency key', async () => {
    const args = ['send', 'globex', '--note', 'Once', '--idempotency-key', 'cli-1'];
    const { id } = await asAcme.json(...args);
    const repeat = await asAcme.succeed(...args);
    expect([repeat.stdout.includes(id), repeat.stderr]).toEqual([true, '']);
    const other = await asAcme.succeed('send', 'globex', '--note', 'Another', '--idempotency-key', 'cli-1');
    expect(other.stdout).toContain(id);
    expect(other.stderr).toBe(`Warning: Nothing was sent: the idempotency key cli-1 was used for another message before, ${id}.\n`);
  });

  test('are listed, read and replied to', async () => {
    const sent = await sender.send({ to: 'globex', type: 'question', subject: 'Bolts', note: 'How many?', jsonText: JSON_TEXT });
    const table = (await asGlobex.succeed('inbox', '--type', 'question')).stdout;
    expect(table).toMatch(new RegExp(`^RECEIVED .*\n\\S+ \\S+ +acme +question +Bolts +${sent.id}\n$`));
    const [line = ''] = (await asGlobex.succeed('inbox', '--type', 'question', '--json')).stdout.split('\n');
    expect(line).toContain('"json":{ "big": 12345678901234567890,  "total": 1.0 }');
    const shown = (await asGlobex.succeed('read', sent.id)).stdout;
    expect(shown).toContain(JSON_TEXT);
    expect(shown).toContain('How many?');
    const reply = await asGlobex.json('reply', sent.id, '--note', 'Three.');
    expect(reply).toMatchObject({ in_reply_to: sent.id, note: 'Three.' });
    await asGlobex.json('reply', sent.id, '--note', 'Yes.', '--acknowledge', 'accepted', '--reason', 'In stock.');
    const refused = await asGlobex.run(['reply', sent.id, '--note', 'No.', '--acknowledge', 'lost']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('accepted, rejected, processed')]);
    expect((await asAcme.succeed('read', sent.thread_id)).stdout).toMatch(/How many\?[\s\S]*Three\./);
    expect((await asAcme.succeed('outbox', '--type', 'question')).stdout).toContain(sent.id);
    await expect
      .poll(async () => (await asGlobex.succeed('threads', '--type', 'question')).stdout, { timeout: 60_000 })
      .toContain(sent.thread_id);
  });

  test('are found', async () => {
    const { id } = await sender.send({ to: 'globex', subject: 'Zwieback' });
    await expect.poll(async () => (await asGlobex.succeed('search', 'zwieback', 'from:acme')).stdout, { timeout: 60_000 }).toContain(id);
  });

  test('are not called absent by a search that is incomplete', async () => {
    const business = await service.business('late');
    await sender.send({ to: 'late', subject: 'Order' });
    const index = await holdSearchIndex(service);
    const searcher = new CommandLine({ HOME: folder, WAYBILL_URL: service.url, WAYBILL_KEY: business.secret });
    const { stdout, stderr } = await searcher.succeed('search', 'order');
    expect([stdout, stderr]).toEqual(['None.\n', expect.stringMatching(/^Incomplete: /)]);
    await index.goOn();
    await expect.poll(async () => (await searcher.succeed('search', 'order')).stdout, { timeout: 60_000 }).toContain('Order');
    expect((await searcher.succeed('search', 'order')).stderr).toBe('');
  });

  test('can’t command the terminal', async () => {
    const { id } = await sender.send({ to: 'globex', type: 'evil', subject: '\u001b[2J\u202Eevil', note: '\u001b]0;title\u0007' });
    for (const args of [
      ['inbox', '--type', 'evil'],
      ['read', id],
    ]) {
      const { stdout } = await asGlobex.succeed(...args);
      expect(['\u001b', '\u0007', '\u202e'].filter((one) => stdout.includes(one))).toEqual([]);
      expect(stdout).toContain('⟨U+001B⟩');
    }
  });

  test('are exported', async () => {
    const file = path.join(folder, 'questions.ndjson');
    await asGlobex.succeed('export', file, '--type', 'question');
    expect(JSON.parse(readFileSync(file, 'utf8')).subject).toBe('Bolts');
    expect((await asGlobex.succeed('export', '--list', 'threads', '--format', 'csv')).stdout).toContain('Bolts');
  });

  test('are shown as they arrive', async () => {
    const tail = asGlobex.start('tail', '--json');
    await expect.poll(() => tail.output.stderr, { timeout: 60_000 }).toContain('Waiting');
    const { id } = await sender.send({ to: 'globex', subject: 'Live' });
    await expect.poll(() => tail.output.stdout, { timeout: 60_000 }).toContain(id);
    tail.child.kill('SIGINT');
    expect((await tail.ended).code).toBe(0);
  });
});

describe('listen', () => {
  test('posts messages to a local program with a real signature, until it is stopped', async () => {
    receiver.deliveries.length = 0;
    const listening = asGlobex.start('listen', '--forward-to', receiver.url('/hook'), '--type', 'order.*');
    await expect.poll(() => listening.output.stderr, { timeout: 60_000 }).toContain('Ctrl-C');
    const secret = /whsec_\S+/.exec(listening.output.stderr)?.[0] ?? '';
    await sender.send({ to: 'globex', type: 'other' });
    const { id } = await sender.send({ to: 'globex', type: 'order.placed', jsonText: JSON_TEXT });
    const [delivery] = await receiver.received(1, 60_000);
    const { headers, body = Buffer.alloc(0) } = delivery ?? { headers: {} };
    expect((await verifyWebhook({ key: secret, headers, body })).message).toMatchObject({ id, jsonText: JSON_TEXT });
    await expect.poll(() => listening.output.stdout, { timeout: 60_000 }).toMatch(new RegExp(`204  \\d+ ms  ${id}  order.placed`));
    receiver.respond = withStatus(500);
    await sender.send({ to: 'globex', type: 'order.failing' });
    await expect.poll(() => listening.output.stdout.match(/ 500 /g)?.length, { timeout: 60_000 }).toBe(3);
    receiver.respond = withStatus(204);
    listening.child.kill('SIGINT');
    expect((await listening.ended).code).toBe(0);
    expect(receiver.at('/hook')).toHaveLength(4);
    expect((await recipient.request('GET /v1/consumers', {})).data).toEqual([]);
  });

  test('is tried with a sample message', async () => {
    const sample = await asGlobex.json('trigger', 'order', '--data', '{"total":1.0}');
    expect(sample).toMatchObject({ type: 'order', to: { party: { handle: 'globex' } }, from: { party: { handle: 'globex' } } });
  });
});

describe('webhooks', () => {
  test('are created, tried, paused, resumed, recovered, rotated and deleted', async () => {
    receiver.deliveries.length = 0;
    const created = await asGlobex.json(
      'webhooks',
      'create',
      receiver.url('/webhook'),
      '--type',
      'invoice',
      '--ed25519',
      '--event',
      'message.received',
    );
    expect(created).toMatchObject({ active: true, types: ['invoice'], events: ['message.received'], signatures: ['hmac', 'ed25519'] });
    expect((await asGlobex.run(['webhooks', 'create', receiver.url('/x'), '--event', 'no.such'])).code).toBe(1);
    expect((await asGlobex.json('trigger', '--webhook', created.id)).status).toBe('delivered');
    expect(receiver.at('/webhook')).toHaveLength(1);
    const since = new Date().toISOString();
    expect(await asGlobex.json('webhooks', 'pause', created.id)).toMatchObject({ active: false });
    expect((await asGlobex.succeed('webhooks', 'list')).stdout).toMatch(/paused \(requested\)/);
    const { id } = await sender.send({ to: 'globex', type: 'invoice' });
    expect(await asGlobex.json('webhooks', 'resume', created.id)).toMatchObject({ active: true });
    expect(await asGlobex.json('webhooks', 'recover', created.id, '--since', since)).toMatchObject({ webhook_id: created.id });
    await expect.poll(() => receiver.at('/webhook').map(({ headers }) => headers['webhook-id']), { timeout: 60_000 }).toContain(id);
    const rotated = await asGlobex.json('webhooks', 'rotate-secret', created.id, '--grace', '60');
    expect(rotated.secret).not.toBe(created.secret);
    expect(Date.parse(rotated.previous_valid_until)).toBeGreaterThan(0);
    await asGlobex.succeed('webhooks', 'delete', created.id);
    expect((await asGlobex.run(['webhooks', 'pause', created.id])).code).toBe(4);
  });
});

test('a document is saved in the format that the name of its file ends with', async () => {
  const json = JSON.stringify({ number: 'PO-1', lines: [{ name: 'Bolt', quantity: '2' }] });
  const { id } = await sender.send({ to: 'globex', type: 'order', jsonText: json });
  const at = (name: string) => path.join(folder, name);
  for (const [name, begins] of [
    ['order.pdf', '%PDF-'],
    ['order.CSV', '\u{feff}Description,Quantity'],
    ['order.xlsx', 'PK'],
    ['order.xml', '<?xml'],
  ] as const) {
    expect((await asAcme.succeed('document', id, '-o', at(name))).stdout).toBe(`Saved ${at(name)}.\n`);
    expect(readFileSync(at(name), 'utf8').slice(0, begins.length)).toBe(begins);
  }
  expect((await asAcme.succeed('document', id, '--format', 'csv', '-o', '-')).stdout).toContain('Bolt,2');
  const unknown = await asAcme.run(['document', id, '-o', at('order.docx')]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('pdf, csv, xlsx, xml')]);
  expect((await asAcme.run(['document', 'msg_00000000000000000000000000', '-o', at('none.pdf')])).code).toBe(4);
});

describe('proofs', () => {
  test('JSON is checked by a schema in a file, and by that of a recipient', async () => {
    const schema = '{"properties":{"quantity":{"minimum":1}}}';
    const failed = await asAcme.run(['schema', 'check', '--schema', schema, '--data', '{"quantity":0}']);
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/^failed\n {2}json \/quantity: /)]);
    expect((await asAcme.succeed('schema', 'check', '--schema', schema, '--data', '{"quantity":2}')).stdout).toBe('passed\n');
    expect((await asAcme.run(['schema', 'check', '--schema', '{"type":1}'])).code).toBe(1);
    expect((await asAcme.succeed('schema', 'check', '--to', 'globex', '--data', '1')).stdout).toBe('not_applicable\n');
  });

  test('a proof is downloaded into a file, which verifies offline', async () => {
    const { id, receipt_url } = await sender.send({ to: 'globex', jsonText: '{"total":12}' });
    const anybody = new CommandLine({ HOME: temporaryFolder() });
    const [own, open] = [path.join(folder, 'own.waybill-proof'), path.join(folder, 'open.waybill-proof')];
    expect((await asAcme.succeed('receipt', 'proof', id, '-o', own)).stdout).toContain(`Saved ${own}`);
    expect(JSON.parse(readFileSync(own, 'utf8')).json).toBe('{"total":12}');
    await anybody.succeed('receipt', 'proof', receipt_url, '-o', open);
    expect(JSON.parse(readFileSync(open, 'utf8'))).not.toHaveProperty('json');
    const vkey = await vkeyOf(service);
    for (const file of [own, open]) expect((await anybody.succeed('receipt', 'verify', file, '--vkey', vkey)).stdout).toContain(id);
    const { stdout } = await asAcme.succeed('receipt', 'proof', id, '--without-json', '-o', '-');
    expect(JSON.parse(stdout)).not.toHaveProperty('json');
    expect((await asAcme.run(['receipt', 'proof', 'msg_00000000000000000000000000'])).code).toBe(4);
    expect((await asAcme.run(['receipt', 'proof', id, '-o', path.join(folder, 'no', 'where')])).code).toBe(2);
  });
});

test('a signing key is created, registered by an admin, and signs; the recipient acknowledges', async () => {
  const owner = await claimedBy(service, 'ann@signing.test', 'signing');
  const agentId = (await owner.post('/agents', { name: 'Orders' })).body.id;
  const { secret } = (await owner.post(`/agents/${agentId}/keys`, { scope: 'read_write' })).body;
  const signing = new CommandLine({ HOME: temporaryFolder() });
  await signing.succeed('login', '--url', service.url, '--key', secret);
  const without = await signing.run(['send', 'globex', '--note', 'x', '--sign']);
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('waybill signing-key')]);
  const creating = signing.start('signing-key');
  await expect.poll(() => creating.output.stderr, { timeout: 60_000 }).toContain('Waiting');
  const public_key = /^ {2}(\S{44})$/m.exec(creating.output.stderr)?.[1] ?? '';
  const { id } = (await owner.post(`/agents/${agentId}/signing-keys`, { public_key })).body;
  expect(await creating.ended).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
  const sent = await signing.json('send', 'globex', '--data', JSON_TEXT, '--sign');
  const signature = await recipient.request('GET /v1/messages/{id}/signature', { path: { id: sent.id } });
  expect([signature.key.id, signature.body.includes(JSON_TEXT)]).toEqual([id, true]);
  const scan = path.join(temporaryFolder(), 'scan.txt');
  writeFileSync(scan, 'a scan');
  const shown = await signing.succeed('send', 'globex/orders', '--file', scan, '--sign');
  expect(shown.stdout).toMatch(new RegExp(`^Signed +with ${id}: service, recipient, files, content$`, 'm'));
  const { id: order } = await asGlobex.json('send', 'signing', '--note', 'An order');
  const reply = await signing.succeed('reply', order, '--note', 'It ships tomorrow.', '--sign');
  expect(reply.stdout).toMatch(/^Signed .*: service, recipient, content$/m);
  const elsewhere = await signing.run(['reply', order, '--note', 'x', '--sign', '--to', 'nobody-here']);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('other party')]);
  expect((await signing.succeed('acknowledge', order, 'accepted', '--sign')).stdout).toContain(`is accepted, signed with ${id}`);
  expect((await asGlobex.succeed('acknowledge', sent.id, 'rejected', '--reason', 'late')).stdout).toContain('is rejected');
  expect((await asGlobex.run(['acknowledge', sent.id, 'read'])).code).toBe(2);
  expect(await sender.acknowledgements(sent.id).catch(({ code }) => code)).toBe('not_found');
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { CommandLine } from './support/command-line.ts';

const folder = temporaryFolder();
const file = path.join(folder, 'orders.ndjson');
let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let asAcme: CommandLine;

beforeAll(async () => {
  service = await startTestService();
  [acme, globex] = [await service.business('acme'), await service.business('globex')];
  asAcme = new CommandLine({ HOME: folder, WAYBILL_URL: service.url, WAYBILL_KEY: acme.secret });
});
afterAll(() => service.stop());

const subjects = async () => (await globex.api.get('/inbox?limit=200')).body.data.map(({ subject }: { subject: string }) => subject);

test('each line of a file is a message; JSON arrives byte for byte, and a repeat with the same key sends nothing', async () => {
  const lines = Array.from({ length: 120 }, (_, i) => `{"to":"globex","type":"order","subject":"${i}","json":{"total": 1.0, "n":${i}}}`);
  writeFileSync(file, `${lines.slice(0, 60).join('\n')}\n\n${lines.slice(60).join('\r\n')}`);
  const { stdout } = await asAcme.succeed('send', '--batch', file, '--idempotency-key', 'orders');
  expect(stdout).toContain('Delivered 120 of 120 messages.');
  expect(stdout).toMatch(/^Line 1: delivered msg_\w+ to globex$/m);
  expect(await subjects()).toEqual(lines.map((_, i) => `${119 - i}`));
  expect((await globex.api.get('/inbox?limit=1')).text).toContain('{"total": 1.0, "n":119}');
  const again = await asAcme.succeed('send', '--batch', file, '--idempotency-key', 'orders');
  expect(again.stdout).toMatch(/^Line 1: sent before msg_\w+ to globex$/m);
  expect(await subjects()).toHaveLength(120);
});

test('lines of stdin may leave the recipient to the command, and what is refused is said by line', async () => {
  const lines = ['{"subject":"a"}', '{"to":"nobody-there"}', '{"subject":"b","colour":"red"}'].join('\n');
  const { code, stdout } = await asAcme.run(['send', 'globex', '--batch', '-'], { stdin: lines });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^Line 1: delivered msg_\w+ to globex\nLine 2: unknown_recipient .*\nLine 3: validation_error .*colour.*\nDelivered 1 of 3 messages\.\n$/,
  );
  const asJson = await asAcme.run(['send', 'globex', '--batch', '-', '--json'], { stdin: lines });
  const outcomes = asJson.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(outcomes.map(({ line, error }) => [line, error?.code])).toEqual([
    [1, undefined],
    [2, 'unknown_recipient'],
    [3, 'validation_error'],
  ]);
});

test('mistakes are named before anything is sent', async () => {
  const failure = async (args: string[], stdin = '') => {
    const { code, stderr } = await asAcme.run(['send', ...args], { stdin });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await failure([])).toContain('Name the recipient');
  expect(await failure(['--batch', path.join(folder, 'missing.ndjson')])).toContain('Couldn’t read');
  expect(await failure(['--batch', '-', '--note', 'x'])).toContain('--note is for one message');
  expect(await failure(['--batch', '-'], '{"to":"globex"}\n{"to":')).toContain('Line 2 is not JSON');
  expect(await failure(['--batch', '-'], '[]')).toContain('Line 1 is no object');
});

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { download, type FormService, sha256Of, startFormService, stores } from '../server/test/support/form-service.ts';
import type { TestBusiness } from '../server/test/support/service.ts';

const MB = 1_048_576;
const programs: [name: string, command: string][] = [
  ['large-upload.sh', 'bash'],
  ['large-upload.ts', process.execPath],
];

const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-examples-'));
const large = path.join(folder, 'Report "Q3" – 100 % of C:\\ä.bin');
const bytes = randomBytes(30 * MB + 1);
const empty = path.join(folder, 'empty');

beforeAll(() => {
  writeFileSync(large, bytes);
  writeFileSync(empty, '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

function run(command: string, program: string, ...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(command, [path.join(import.meta.dirname, program), ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

describe.each(stores)('with files in the %s', (store) => {
  let service: FormService;
  let acme: TestBusiness;
  let globex: TestBusiness;

  beforeAll(async () => {
    service = await startFormService({}, store);
    acme = await service.business('acme');
    globex = await service.business('globex');
  });
  afterAll(() => service.stop());

  describe.each(programs)('%s', (program, command) => {
    const send = (file: string, { to = 'globex/orders', key = acme.secret } = {}) => run(command, program, service.url, key, to, file);

    test('delivers a file of 30 MB, and prints the id of its message and the URL of the receipt', async () => {
      const { code, stdout, stderr } = await send(large);
      expect(code, stderr).toBe(0);
      const [, id, receipt] = /^message (msg_\w+)\nreceipt (http\S+)\n$/.exec(stdout) ?? [];
      const { body } = await globex.api.get(`/messages/${id}`);
      expect(body.receipt_url).toBe(receipt);
      expect((await fetch(String(receipt))).status).toBe(200);
      expect(body.files).toMatchObject([{ filename: path.basename(large), size_bytes: bytes.length, sha256: sha256Of(bytes) }]);
      expect((await download(body.files[0].download_url)).equals(bytes)).toBe(true);
      expect(stderr).toMatch(/100(\.0)?( )?%/);
    });

    test('delivers an empty file', async () => {
      const { code, stdout, stderr } = await send(empty);
      expect(code, stderr).toBe(0);
      const { body } = await globex.api.get(`/messages/${/msg_\w+/.exec(stdout)}`);
      expect(body.files).toMatchObject([{ filename: 'empty', size_bytes: 0 }]);
    });

    test('tells what was refused, and fails', async () => {
      const before = (await acme.api.get('/outbox?limit=200')).body.data.length;
      const refused = [
        [await send(empty, { key: 'wb_wrong' }), /unauthorized/],
        [await send(empty, { to: 'nobody' }), /unknown_recipient/],
        [await send(path.join(folder, 'missing')), /missing/],
        [await run(command, program, service.url), /Usage/],
      ] as const;
      for (const [{ code, stdout, stderr }, reason] of refused) {
        expect([code === 0, stdout], stderr).toEqual([false, '']);
        expect(stderr).toMatch(reason);
      }
      expect((await acme.api.get('/outbox?limit=200')).body.data).toHaveLength(before);
    });
  });
});

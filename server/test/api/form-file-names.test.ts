import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendForm, sendFormData } from '../support/form.ts';
import { download, type FormService, startFormService } from '../support/form-service.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';

const KB = 1_024;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

let service: FormService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startFormService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const sendFile = (file: { filename?: string; type?: string | undefined; head?: string | Uint8Array }) =>
  sendForm(acme.api, [
    { name: 'to', bytes: 'globex' },
    { ...file, bytes: 'bytes' },
  ]);

describe('the name of a file is data', () => {
  test.each([
    ['empty', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['a path upwards', '../../../../etc/passwd'],
    ['a path upwards with backslashes', '..\\..\\windows\\win.ini'],
    ['a path from the root', '/etc/passwd'],
    ['a path of a drive', 'C:\\temp\\a.txt'],
    ['a path in escapes', '%2e%2e%2fa%00.txt'],
    ['control characters', 'a\u0001\u001b[31m\u007f\u0085b'],
    ['line breaks of all but one kind', 'a\nb\rc\u2028d\n\re'],
    ['a header of its own', 'a\nSet-Cookie: x=y'],
    ['text that runs from right to left', 'invoice\u202efdp.exe'],
    ['marks that nobody sees', '\ufeffa\u200b\u200fb\u2066'],
    ['quotes', '"a"; filename="b"\'`'],
    ['backslashes and quotes', '\\"\\\\"\\'],
    ['spaces around', '  a  '],
    ['HTML', '<script>alert(1)</script>.html'],
    ['SQL', "'); DROP TABLE files; --"],
    ['a device', 'CON'],
    ['unicode', 'Größe 日本語 😀.pdf'],
    ['two spellings of one letter', 'e\u0301\u00e9'],
    ['4 KB', `${'x'.repeat(4 * KB - 4)}.pdf`],
    ['4,096 characters of four bytes', '😀'.repeat(4 * KB)],
  ])('%s', async (_, filename) => {
    const sent = await sendFile({ filename });
    expect(sent.status, sent.text).toBe(201);
    const received = await globex.api.get(`/messages/${sent.body.id}`);
    const receipt = await service.anonymous.get(`/receipts/${sent.body.receipt_url.split('/').at(-1)}`);
    for (const { body } of [sent, received, receipt]) expect(body.files[0].filename).toBe(filename);
    expect((await download(received.body.files[0].download_url)).toString()).toBe('bytes');
  });

  test('as browsers write it, with what they escape', async () => {
    const form = new FormData();
    form.append('to', 'globex');
    form.append('file', new Blob(['x']), 'a"b\r\nc\\ü.txt');
    expect((await sendFormData(acme.api, form)).body.files[0].filename).toBe('a%22b%0D%0Ac\\ü.txt');
  });

  test('as written without quotes', async () => {
    const sent = await sendFile({ head: 'Content-Disposition: form-data; name=file; filename=plain.txt' });
    expect(sent.body.files[0].filename).toBe('plain.txt');
  });

  test('and one that a text can’t hold, or is too long, is refused', async () => {
    const before = await service.traces();
    expectInvalid(await sendFile({ filename: 'a\0b' }), 'filename');
    expectInvalid(await sendFile({ filename: 'x'.repeat(4 * KB + 1) }), 'filename');
    expectRefusal(await sendFile({ filename: 'a\r\nb' }), 'validation_error');
    expectRefusal(await sendFile({ filename: '😀'.repeat(9 * KB) }), 'validation_error');
    expect(await service.traces()).toEqual(before);
  });

  test('of which nothing reaches the file system', async () => {
    const stored = await service.stored();
    expect(stored.length).toBeGreaterThan(20);
    for (const file of stored) expect(file).toMatch(new RegExp(`^files/objects/[0-9a-f]{2}/${UUID}$`));
  });
});

describe('the content type of a file', () => {
  const typeOf = async (file: { type?: string | undefined; head?: string | Uint8Array }) => {
    const sent = await sendFile({ filename: 'a', ...file });
    expect(sent.status, sent.text).toBe(201);
    // The name must not prevent a download.
    const response = await fetch(sent.body.files[0].download_url);
    expect([response.status, await response.text()]).toEqual([200, 'bytes']);
    return sent.body.files[0].content_type;
  };

  test.each([
    'text/plain',
    'Application/PDF',
    'text/plain; charset="utf-8"',
    'text/csv;header=present ; x=";"',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'image/svg+xml',
    'text/html',
    `a/${'x'.repeat(253)}`,
  ])('is kept: %s', async (type) => {
    expect(await typeOf({ type })).toBe(type);
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['one word', 'nonsense'],
    ['half of one', 'text/'],
    ['the other half', '/plain'],
    ['in three parts', 'a/b/c'],
    ['with a space inside', 'text /plain'],
    ['with garbage behind', 'text/plain garbage'],
    ['a wildcard', '*/*'],
    ['with a line feed', 'text/plain\n; a=b'],
    ['with a line feed among its parameters', 'text/plain; a=b\nX: y'],
    ['with a line separator', 'text/plain\u2028;'],
    ['with NUL', 'text/plain; a=\0'],
    ['beyond ASCII', 'text/plain; a=é'],
    ['too long', `a/${'x'.repeat(254)}`],
  ])('is application/octet-stream when it is %s', async (_, type) => {
    expect(await typeOf({ type })).toBe('application/octet-stream');
  });
});

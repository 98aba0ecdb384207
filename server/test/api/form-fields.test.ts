import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FILES_PER_MESSAGE_MAX } from '../../src/contract/limits.ts';
import { type FormPart, sendForm } from '../support/form.ts';
import { type FormService, startFormService } from '../support/form-service.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { upload } from '../support/transfer.ts';

let service: FormService;
let acme: TestBusiness;
beforeAll(async () => {
  service = await startFormService();
  acme = await service.business('acme');
  await service.business('globex');
});
afterAll(() => service.stop());

const TO: FormPart = { name: 'to', bytes: 'globex' };
const send = (...parts: FormPart[]) => sendForm(acme.api, [TO, ...parts]);

describe('a form part with the name of a field and a file name is that field', () => {
  test('as curl sends json=@order.json and note=@note.txt', async () => {
    const { status, text, body } = await send(
      { name: 'json', filename: 'order.json', type: 'application/json', bytes: '{ "order": 4711.0 }\n' },
      { name: 'note', filename: 'note.txt', type: 'text/plain', bytes: 'Three of A-1, please.\n' },
      { name: 'subject', filename: 'subject.txt', bytes: 'Order' },
    );
    expect(status, text).toBe(201);
    expect(text).toContain('"json":{ "order": 4711.0 },');
    expect(body).toMatchObject({ note: 'Three of A-1, please.\n', subject: 'Order', files: [] });
  });

  test('and is refused when it can’t be that field, with what to do instead', async () => {
    const before = await service.traces();
    const named = 'name the form part "file"';
    const noJson = await send({ name: 'json', filename: 'order.pdf', bytes: '%PDF-1.7' });
    expectRefusal(noJson, 'invalid_json');
    const noText = await send({ name: 'note', filename: 'note.png', bytes: Buffer.from([0x89, 0x50, 0xff]) });
    expectRefusal(noText, 'invalid_json');
    const tooLong = await send({ name: 'note', filename: 'note.txt', bytes: 'x'.repeat(70_000) });
    expectInvalid(tooLong, 'note');
    const twice = await send({ name: 'json', bytes: '1' }, { name: 'json', filename: 'order.json', bytes: '2' });
    expectInvalid(twice, 'json');
    for (const { body } of [noJson, noText, tooLong, twice]) expect(body.error.message).toContain(named);
    expectInvalid(await send({ name: 'note', filename: 'note.txt', bytes: 'x'.repeat(10_001) }), 'note');
    expectRefusal(await send({ name: 'json', filename: 'large.json', bytes: `"${'x'.repeat(1_048_576)}"` }), 'json_too_large');
    expect(await service.traces()).toEqual(before);
  });

  test('while any other name makes a file of it', async () => {
    const { body } = await send({ name: 'order', filename: 'order.json', bytes: '{}' }, { name: 'files', filename: 'a.txt', bytes: 'a' });
    expect(body.files.map(({ filename }: { filename: string }) => filename)).toEqual(['order.json', 'a.txt']);
    expect(body.json).toBeNull();
  });
});

describe('uploads in a form', () => {
  test('come along with files', async () => {
    const ids = [await upload(acme.api, 'first'), await upload(acme.api, 'second!')];
    const { status, text, body } = await send(
      { name: 'files', bytes: ids[0] as string },
      { filename: 'inline.txt', bytes: 'inline' },
      { name: 'files', bytes: ids[1] as string },
    );
    expect(status, text).toBe(201);
    expect(body.files.map(({ size_bytes }: { size_bytes: number }) => size_bytes)).toEqual([6, 5, 7]);
  });

  test('are refused like those of a JSON body', async () => {
    const before = await service.traces();
    const file = { filename: 'inline.txt', bytes: 'inline' };
    expectRefusal(await send({ name: 'files', bytes: 'upl_x' }, file), 'upload_not_found');
    expectInvalid(await send({ name: 'files', bytes: 'upl_x' }, { name: 'files', bytes: 'upl_x' }, file), 'files');
    expectInvalid(await send({ name: 'file', bytes: 'upl_x' }, file), 'file');
    expect(await service.traces()).toEqual(before);
  });

  test('count toward the limit of a message', async () => {
    const before = await service.traces();
    const files = Array.from({ length: FILES_PER_MESSAGE_MAX }, (_, i) => ({ filename: `${i}`, bytes: 'x' }));
    expectInvalid(await send(...files, { name: 'files', bytes: 'upl_x' }), 'files');
    expectInvalid(await send({ name: 'files', bytes: 'upl_x' }, ...files), 'files');
    expect(await service.traces()).toEqual(before);
  });
});

test('a quoted file name that ends with a backslash is refused, since its end can’t be told', async () => {
  expectRefusal(await send({ head: 'Content-Disposition: form-data; name="file"; filename="trail\\"', bytes: 'x' }), 'validation_error');
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/contract/errors.ts';
import type { Api } from '../support/api.ts';
import { type FormPart, formBody, sendForm, typeOfForm } from '../support/form.ts';
import { type FormService, startFormService, stores } from '../support/form-service.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';

const MB = 1_048_576;
const UNKNOWN_ID = 'msg_01h455vb4pex5vsknk084sn02q';

const field = (name: string, bytes: string | Uint8Array): FormPart => ({ name, bytes });
const file = (bytes: string | Uint8Array = 'bytes'): FormPart => ({ filename: 'a.txt', bytes });
const files = (count: number) => Array.from({ length: count }, () => file());
const TO = field('to', 'globex');

describe.each(stores)('a form that is refused leaves nothing behind in the %s', (store) => {
  let service: FormService;
  let acme: TestBusiness;
  let toGlobex: string;
  let toDemo: string;

  beforeAll(async () => {
    service = await startFormService({}, store);
    acme = await service.business('acme');
    await service.business('globex');
    await service.business('initech');
    toGlobex = (await sendForm(acme.api, [TO, file()])).body.id;
    toDemo = (await acme.api.send({ to: 'demo' })).body.id;
  });
  afterAll(() => service.stop());

  const refused = async (form: FormPart[], code: ErrorCode, at?: string) => {
    const before = await service.traces();
    const response = await sendForm(acme.api, form);
    if (at === undefined) expectRefusal(response, code);
    else expectInvalid(response, at);
    expect(await service.traces()).toEqual(before);
  };

  test.each<[string, string, FormPart[]]>([
    ['101 files', 'files', [TO, ...files(101)]],
    ['neither to nor in_reply_to', 'to', [file()]],
    ['an unknown field', 'josn', [TO, file(), field('josn', '1')]],
    ['a field named as every object has one', 'constructor', [TO, file(), field('constructor', '1')]],
    ['a field named __proto__', '__proto__', [TO, file(), field('__proto__', '{"polluted":true}')]],
    ['a file without a file name', 'file', [TO, file(), field('file', 'bytes')]],
    ['to twice', 'to', [TO, file(), TO]],
    ['note twice', 'note', [TO, file(), field('note', ''), field('note', '')]],
    ['json twice', 'json', [TO, file(), field('json', '1'), field('json', '1')]],
    ['NUL in to', 'to', [field('to', 'globex\0'), file()]],
    ['NUL in a note', 'note', [TO, file(), field('note', 'a\0b')]],
    ['a subject too long', 'subject', [TO, file(), field('subject', 'x'.repeat(201))]],
    ['an endless note', 'note', [TO, file(), field('note', 'x'.repeat(MB))]],
    ['an address that is none', 'to', [field('to', 'no address'), file()]],
    ['an empty address', 'to', [field('to', ''), file()]],
    ['json too deep', 'json', [TO, file(), field('json', '['.repeat(1_001) + ']'.repeat(1_001))]],
    ['a number in json that no double can hold', 'json', [TO, file(), field('json', '1e400')]],
  ])('validation_error: %s', async (_, at, form) => {
    await refused(form, 'validation_error', at);
  });

  test.each<[string, ErrorCode, FormPart[]]>([
    ['an upload that nobody announced', 'upload_not_found', [TO, file(), field('files', 'upl_x')]],
    ['empty json', 'invalid_json', [TO, file(), field('json', ''), field('json', '1')]],
    ['invalid UTF-8 in to', 'invalid_json', [file(), field('to', Buffer.from('globex\xff', 'latin1'))]],
    ['invalid UTF-8 in a note', 'invalid_json', [TO, file(), field('note', Buffer.of(0xc3))]],
    ['a surrogate in UTF-8', 'invalid_json', [TO, file(), field('note', Buffer.of(0xed, 0xa0, 0x80))]],
    ['invalid UTF-8 in json', 'invalid_json', [TO, file(), field('json', Buffer.from('"\xff"', 'latin1'))]],
    ['json that is none', 'invalid_json', [TO, file(), field('json', '{"a":}')]],
    ['json that is cut short', 'invalid_json', [TO, file(), field('json', '[1,')]],
    ['two values in json', 'invalid_json', [TO, file(), field('json', '1 2')]],
    ['an empty json', 'invalid_json', [TO, file(), field('json', '')]],
    ['a byte order mark', 'invalid_json', [TO, file(), field('json', '\ufeff1')]],
    ['json too large', 'json_too_large', [TO, file(), field('json', `"${'x'.repeat(MB)}"`)]],
    ['json much too large', 'json_too_large', [TO, file(), field('json', `"${'x'.repeat(8 * MB)}"`)]],
    ['a file too large', 'file_too_large', [TO, file(), file(Buffer.alloc(25 * MB + 1))]],
    ['an unknown recipient', 'unknown_recipient', [field('to', 'nobody'), ...files(3)]],
    ['an unknown parent', 'not_found', [field('in_reply_to', UNKNOWN_ID), file()]],
  ])('%s: %s', async (_, code, form) => {
    await refused(form, code);
  });

  test('a reply to the demo inbox, or to somebody else', async () => {
    await refused([field('in_reply_to', toDemo), file()], 'reply_unaddressable');
    await refused([field('in_reply_to', toGlobex), field('to', 'initech'), file()], 'reply_recipient_mismatch');
  });
});

describe('of several reasons to refuse a form, the first in this order is told', () => {
  let service: FormService;
  let acme: TestBusiness;

  beforeAll(async () => {
    service = await startFormService();
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(() => service.stop());

  const wrong = [field('to', 'nobody'), file(), field('josn', '1')];
  const under = async (env: Record<string, string>, work: (api: Api) => Promise<void>) => {
    const sibling = await service.sibling(env);
    await work(acme.api.at(sibling.url)).finally(() => sibling.stop());
  };

  test('1. unauthorized, 2. forbidden, 3. rate_limited: none of it is looked at, however large', async () => {
    const before = await service.traces();
    for (const form of [wrong, [TO, file(Buffer.alloc(30 * MB))]]) {
      expectRefusal(await sendForm(service.anonymous, form), 'unauthorized');
      expectRefusal(await sendForm(await acme.withKey('read'), form), 'forbidden');
    }
    await under({ RATE_LIMIT_PER_MINUTE: '1' }, async (api) => {
      await api.get('/me');
      expectRefusal(await sendForm(api, wrong), 'rate_limited');
    });
    expect(await service.traces()).toEqual(before);
  });

  test('4. what is wrong with the request itself, in the order in which it comes', async () => {
    expectRefusal(await sendForm(acme.api, wrong, { 'content-encoding': 'gzip' }), 'unsupported_media_type');
    expectRefusal(await sendForm(acme.api, wrong, { 'content-type': 'multipart/mixed; boundary=x' }), 'unsupported_media_type');
    expectRefusal(await sendForm(acme.api, wrong, { 'content-type': 'multipart/form-data-x; boundary=x' }), 'unsupported_media_type');
    expectInvalid(await sendForm(acme.api, wrong, { 'idempotency-key': 'a b' }), 'Idempotency-Key');
    expectInvalid(await sendForm(acme.api, wrong), 'josn');
    expectInvalid(await sendForm(acme.api, [field('to', 'nobody'), field('note', '\0'), file()]), 'note');
    expectRefusal(await sendForm(acme.api, [field('to', 'nobody'), field('json', '{')]), 'invalid_json');
    expectRefusal(await sendForm(acme.api, [field('in_reply_to', UNKNOWN_ID), file(Buffer.alloc(26 * MB))]), 'file_too_large');
    expectInvalid(await sendForm(acme.api, [field('a', ''), file(Buffer.alloc(26 * MB))]), 'a');
    expectRefusal(await sendForm(acme.api, [file(Buffer.alloc(26 * MB)), field('a', '')]), 'file_too_large');
  });

  test('5. whom it is for, 6. its quota', async () => {
    await under({ DAILY_UPLOAD_LIMIT_BYTES: '4' }, async (api) => {
      expectRefusal(await sendForm(api, [field('to', 'nobody'), file()]), 'unknown_recipient');
      expectRefusal(await sendForm(api, [field('in_reply_to', UNKNOWN_ID), file()]), 'not_found');
      expectRefusal(await sendForm(api, [TO, file()]), 'quota_exceeded');
    });
  });

  test('a query is refused before the form is read', async () => {
    const response = await acme.api.request('POST', '/v1/messages?x=1', { body: formBody(wrong), headers: typeOfForm() });
    expectInvalid(response, 'x');
  });
});

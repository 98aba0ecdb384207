import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { sendForm } from '../support/form.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  await service.business('globex');
});
afterAll(() => service.stop());

/** Every send of this file is refused, and none may leave anything behind. */
beforeEach(async () => {
  const before = await tracesOfSends(service);
  return async () => expect(await tracesOfSends(service)).toEqual(before);
});

describe('invalid_json', () => {
  test('says where the body, or the field of a form, is no longer JSON, and shows nothing of it', async () => {
    const position = ({ body }: ApiResponse) => body.error.details.map(({ message: _, ...rest }: { message: string }) => rest);
    const at = (path: string, line: number, column: number, offset: number) => [{ path, line, column, offset }];
    const sent = await acme.api.send('{\n  "to": "globex",\n  "note": "漢" "SECRET"\n}');
    expectRefusal(sent, 'invalid_json');
    expect(position(sent)).toEqual(at('', 3, 15, 36));
    expect(sent.text).not.toContain('SECRET');
    const blocked = await acme.api.write('POST', '/blocks', '{"handle":');
    expectRefusal(blocked, 'invalid_json');
    expect(position(blocked)).toEqual(at('', 1, 11, 10));
    const form = await sendForm(acme.api, [
      { name: 'to', bytes: 'globex' },
      { name: 'json', bytes: '[1,\n2,]' },
    ]);
    expectRefusal(form, 'invalid_json');
    expect(position(form)).toEqual(at('/json', 2, 3, 6));
  });

  const VALUES: [string, string][] = [
    ['nothing', ''],
    ['an unfinished object', '{"a":1'],
    ['an unfinished array', '[1,2'],
    ['an unfinished text', '"a'],
    ['a bracket too many', '[1]]'],
    ['brackets that do not match', '[1}'],
    ['a comma after the last member', '{"a":1,}'],
    ['a comma after the last item', '[1,]'],
    ['a comma before the first item', '[,1]'],
    ['a missing comma', '{"a":1 "b":2}'],
    ['a missing colon', '{"a" 1}'],
    ['a key without value', '{"a"}'],
    ['a key without quotes', '{a:1}'],
    ['a number as key', '{1:1}'],
    ['single quotes', "'a'"],
    ['a leading zero', '01'],
    ['a plus sign', '+1'],
    ['a point without digits before it', '.5'],
    ['a point without digits after it', '1.'],
    ['an exponent without digits', '1e'],
    ['a minus alone', '-'],
    ['hexadecimal', '0x10'],
    ['a separator of thousands', '1_000'],
    ['NaN', 'NaN'],
    ['Infinity', '-Infinity'],
    ['undefined', 'undefined'],
    ['a capital literal', 'True'],
    ['half a literal', 'nul'],
    ['an unknown escape', '"\\x41"'],
    ['half an escape', '"\\u12"'],
    ['a raw line break in a text', '"a\nb"'],
    ['a raw tab in a text', '"a\tb"'],
    ['a raw NUL in a text', '"a\0b"'],
    ['a comment', '1 // one'],
    ['a comment in a block', '/* one */ 1'],
    ['a no-break space', '\u00a01'],
    ['a form feed', '\f1'],
    ['a byte order mark', '\ufeff1'],
    ['two values', '1 2'],
  ];

  test.each(VALUES)('as the whole body: %s', async (_, written) => {
    expectRefusal(await acme.api.send(written), 'invalid_json');
  });

  test.each(VALUES)('as json: %s', async (_, written) => {
    expectRefusal(await acme.api.send(`{"to":"globex","json":${written}}`), 'invalid_json');
  });

  test('for a body behind a byte order mark, in UTF-16, or with a second document behind it', async () => {
    const body = '{"to":"globex"}';
    for (const bytes of [Buffer.from(`\ufeff${body}`), Buffer.from(body, 'utf16le'), Buffer.from(`${body}\n${body}`), Buffer.from('\0')]) {
      expectRefusal(await acme.api.write('POST', '/messages', bytes), 'invalid_json');
    }
  });

  test.each([
    ['a lone continuation', [0x80]],
    ['a continuation missing', [0xe2, 0x82]],
    ['a byte that UTF-8 never has', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('for UTF-8 that is none, wherever in the body: %s', async (_, bytes) => {
    const places = [
      '{"to":"?"}',
      '{"to":"globex","note":"?"}',
      '{"to":"globex","json":"?"}',
      '{"to":"globex","json":{"?":1}}',
      '{"?":1}',
      '?{}',
      '{}?',
    ];
    for (const place of places) {
      const [before = '', after = ''] = place.split('?');
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      expectRefusal(await acme.api.write('POST', '/messages', body), 'invalid_json');
    }
  });
});

describe('validation_error', () => {
  test.each(['null', 'true', '1', '"globex"', '[]', '[{"to":"globex"}]'])('for a body that is no object: %s', async (body) => {
    const response = await acme.api.send(body);
    expectRefusal(response, 'validation_error');
    expect(response.body.error.details).toEqual([{ path: '', message: expect.any(String) }]);
  });

  test.each(['{}', '{"to":null}', '{"note":"to nobody"}', '{"to":null,"in_reply_to":null}'])(
    'for a message to nobody: %s',
    async (body) => {
      expectInvalid(await acme.api.send(body), 'to');
    },
  );

  test.each(['josn', 'To', 'JSON', 'id', 'from', 'idempotency_key', '', '__proto__', 'constructor', 'a/b~c'])(
    'for a field that does not exist: "%s"',
    async (field) => {
      const response = await acme.api.send(`{"to":"globex",${JSON.stringify(field)}:{}}`);
      expectInvalid(response, field.replaceAll('~', '~0').replaceAll('/', '~1'));
    },
  );

  test.each([
    ['to', '{"to":"acme","to":"globex"}'],
    ['json', '{"to":"globex","json":1,"json":2}'],
    ['json', '{"to":"globex","json":1,"\\u006ason":1}'],
    ['note', '{"to":"globex","note":null,"note":"x"}'],
    ['files', '{"to":"globex","files":[],"files":[]}'],
  ])('for %s given twice, be it the same', async (field, body) => {
    expectInvalid(await acme.api.send(body), field);
  });

  test.each(['to', 'in_reply_to', 'type', 'subject', 'note'])('for a %s that is no text', async (field) => {
    for (const value of ['1', '1e400', 'true', '[]', '["globex"]', '{}', '{"toString":"globex"}']) {
      const response = await acme.api.send(`{${field === 'to' ? '' : '"to":"globex",'}"${field}":${value}}`);
      expectInvalid(response, field);
      expect(response.body.error.details).toHaveLength(1);
    }
  });

  test.each(['to', 'in_reply_to', 'type', 'subject', 'note'])('for U+0000 or half a surrogate pair in %s', async (field) => {
    for (const damage of ['\\u0000', '\\ud83d', '\\ude00', '\\ude00\\ud83d', 'x\\ud83dx']) {
      const body = field === 'to' ? `{"to":"globex${damage}"}` : `{"to":"globex","${field}":"a${damage}"}`;
      expectInvalid(await acme.api.send(body), field);
    }
  });

  test.each([
    '',
    ' ',
    'g',
    ' globex',
    'globex ',
    'globex\n',
    '-globex',
    'globex-',
    'glo_bex',
    'globex/',
    '/globex',
    'globex/a/b',
    'globex/-a',
    'globex//a',
    'globex+orders',
    'g'.repeat(33),
    `globex/${'s'.repeat(32)}`,
    'x'.repeat(100_000),
    'ɢlobex',
    'globex%00',
    "globex' OR '1'='1",
  ])('for a `to` that can be no address: %j', async (to) => {
    expectInvalid(await acme.api.send({ to }), 'to');
  });

  test.each([
    ['a text', '"upl_1"'],
    ['an object', '{"0":"upl_1"}'],
    ['an item that is no text', '["upl_1",1]'],
    ['an item of null', '[null]'],
    ['more than 100', JSON.stringify(Array.from({ length: 101 }, (_, i) => `upl_${i}`))],
    ['one of them twice', '["upl_1","upl_2","upl_1"]'],
  ])('for files that are %s', async (_, files) => {
    const { body, ...response } = await acme.api.send(`{"to":"globex","files":${files}}`);
    expectRefusal({ body, ...response }, 'validation_error');
    expect(body.error.details[0].path).toMatch(/^\/files/);
  });

  test('lists each problem of a body that has several', async () => {
    const response = await acme.api.send({ to: 5, type: 'x'.repeat(81), note: '\0', josn: {}, files: 'x' });
    expectRefusal(response, 'validation_error');
    const paths = response.body.error.details.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(['/files', '/josn', '/note', '/to', '/type']);
  });

  test.each([
    ['wrong items', `{"to":"globex","files":[${'0,'.repeat(600_000)}0]}`],
    ['unknown fields', `{${Array.from({ length: 100_000 }, (_, i) => `"x${i}":0`).join(',')}}`],
    ['repeated fields', `{${'"to":0,'.repeat(80_000)}${'"json":0,'.repeat(60_000)}"to":"globex"}`],
    ['texts with U+0000', `{${Array.from({ length: 60_000 }, (_, i) => `"x${i}":"\\u0000"`).join(',')}}`],
  ])('lists a bounded number of them, however many there are: %s', async (_, body) => {
    const response = await acme.api.send(body);
    expectRefusal(response, 'validation_error');
    expect(response.body.error.details.length).toBeLessThanOrEqual(50);
  });

  test('for a query string, which this endpoint does not have', async () => {
    expectInvalid(await acme.api.write('POST', '/messages?dry_run=true', { to: 'globex' }), 'dry_run');
  });
});

describe('what does not exist', () => {
  test.each(['nobody', 'NOBODY', 'nobody/orders', 'www', 'n'.repeat(32)])('gives unknown_recipient: %s', async (to) => {
    expectRefusal(await acme.api.send({ to }), 'unknown_recipient');
  });

  test.each(['buyer@example.com', 'example.com'])('gives unknown_recipient for an unclaimed party: %s', async (to) => {
    expectRefusal(await acme.api.send({ to }), 'unknown_recipient');
  });

  test('gives upload_not_found for 1 to 100 files of unknown ids', async () => {
    const hundred = Array.from({ length: 100 }, (_, i) => `upl_${i}`);
    for (const files of [['upl_01h455vb4pex5vsknk084sn02q'], ['x'], [''], ['upl_\u0000'], hundred]) {
      expectRefusal(await acme.api.send({ to: 'globex', files }), 'upload_not_found');
    }
  });
});

test('every refusal has the one error object, the status of its code, and the request id of its header', async () => {
  const read = await acme.withKey('read');
  const refusals = [
    [401, 'unauthorized', await service.anonymous.send({ to: 'globex' })],
    [403, 'forbidden', await read.send({ to: 'globex' })],
    [404, 'not_found', await acme.api.send({ in_reply_to: 'msg_01h455vb4pex5vsknk084sn02q' })],
    [404, 'unknown_recipient', await acme.api.send({ to: 'nobody' })],
    [404, 'upload_not_found', await acme.api.send({ to: 'globex', files: ['x'] })],
    [400, 'validation_error', await acme.api.send({})],
    [400, 'invalid_json', await acme.api.send('{')],
    [413, 'json_too_large', await acme.api.send({ to: 'globex', json: 'x'.repeat(1_048_575) })],
    [413, 'json_too_large', await acme.api.send({ to: 'globex', json: 'x'.repeat(3_000_000) })],
    [415, 'unsupported_media_type', await acme.api.send({ to: 'globex' }, { 'content-type': 'text/plain' })],
  ] as const;
  for (const [status, code, response] of refusals) {
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.body).toStrictEqual({
      error: {
        code,
        message: expect.stringMatching(/\S/),
        request_id: expect.stringMatching(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        ...(code === 'invalid_json' && { details: [{ path: '', message: expect.any(String), line: 1, column: 2, offset: 1 }] }),
        ...(code === 'validation_error' && { details: expect.arrayContaining([{ path: '/to', message: expect.any(String) }]) }),
      },
    });
    expect(response.headers.get('x-request-id')).toBe(response.body.error.request_id);
  }
  expect(new Set(refusals.map(([, , { body }]) => body.error.request_id)).size).toBe(refusals.length);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesIn } from '../support/files-in.ts';
import { attached, INBOUND, type MailText, type MailWorld, mailText, multipart, startMailWorld } from '../support/mail-world.ts';
import type { TestBusiness } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';

let world: MailWorld;
let globex: TestBusiness;

beforeAll(async () => {
  world = await startMailWorld();
  globex = await world.service.business('globex');
  // All domains vouch for mail of this machine, so that only the mail itself decides.
  for (const domain of ['acme-works.test', 'evil.test', 'xn--bcher-kva.test', INBOUND, `eu.${INBOUND}`]) world.publish(domain);
});
afterAll(() => world.stop());

const ANN = 'ann@acme-works.test';
const EVIL = 'x@evil.test';
const CEO = 'ceo@bank.test';
const text = (options: MailText) => mailText(options);
const raw = (lines: string[], body = 'Hello.\r\n') => `${lines.join('\r\n')}\r\n\r\n${body}`;
const base64 = (words: string) => Buffer.from(words).toString('base64');

const ONE_ADDRESS = /^554 5\.6\.0 From must have exactly one address, such as Name <name@example\.com>\.$/;
const BROKEN_HEADER = /^554 5\.6\.0 The header has a line that is not a header field\.$/;
const TOO_LONG =
  /^554 5\.6\.0 The mail contains a line of more than 998 characters; encode it as quoted-printable or base64, or break it\.$/;
const AUTOMATIC = /^550 5\.7\.1 Automatic mails/;
const twice = (name: string) => new RegExp(`^554 5\\.6\\.0 The header field ${name} is given more than once\\.$`);
const UNPROVED = /^550 5\.7\.26 It is not proved that bank\.test sent this: /;

const refusals: [string, string | Buffer, RegExp][] = [
  ['two From headers', text({ headers: [`From: ${CEO}`] }), twice('from')],
  ['two From headers in different cases', text({ headers: [`FROM: ${CEO}`] }), twice('from')],
  ['the same From header twice', text({ headers: ['From: Ann <ann@acme-works.test>'] }), twice('from')],
  ['no From header', raw(['Subject: none', 'Message-ID: <1@x>']), /^554 5\.6\.0 The mail has no From header\.$/],
  ['an empty From header', text({ from: '' }), ONE_ADDRESS],
  ['two addresses in From', text({ from: `${ANN}, ${CEO}` }), ONE_ADDRESS],
  ['two addresses of one domain in From', text({ from: `${ANN}, bob@acme-works.test` }), ONE_ADDRESS],
  ['two addresses in brackets', text({ from: `<${ANN}> <${CEO}>` }), ONE_ADDRESS],
  ['an address in brackets inside of a name', text({ from: `Ann <${CEO}> <${ANN}>` }), ONE_ADDRESS],
  ['a group in From', text({ from: `Friends: ${ANN};` }), ONE_ADDRESS],
  ['an empty group in From', text({ from: 'Undisclosed:;' }), ONE_ADDRESS],
  ['a route before the address', text({ from: `<@bank.test:${ANN}>` }), ONE_ADDRESS],
  ['a comment inside of the address', text({ from: 'ann@acme-works.test(@bank.test)x' }), ONE_ADDRESS],
  ['a name without an address', text({ from: 'The Chief' }), ONE_ADDRESS],
  ['an address without a domain', text({ from: '<ceo>' }), ONE_ADDRESS],
  ['an address at a number', text({ from: '<ceo@[127.0.0.1]>' }), ONE_ADDRESS],
  ['two at signs in the address', text({ from: '<ceo@bank.test@evil.test>' }), ONE_ADDRESS],
  ['a quoted local part with an at sign', text({ from: '<"ceo@bank.test"@evil.test>' }), ONE_ADDRESS],
  ['an unclosed quote', text({ from: `"ceo <${EVIL}>` }), ONE_ADDRESS],
  ['an encoded word that holds the whole From', text({ from: `=?utf-8?B?${base64(`The Chief <${CEO}>`)}?=` }), ONE_ADDRESS],
  ['an encoded word as the address', text({ from: `<=?utf-8?B?${base64(CEO)}?=>` }), ONE_ADDRESS],
  ['an encoded word in the local part', text({ from: '<=?utf-8?Q?bob?=@acme-works.test>' }), ONE_ADDRESS],
  ['an encoded word beside the address of another', text({ from: `=?utf-8?B?${base64(`<${CEO}>`)}?=, ${EVIL}` }), ONE_ADDRESS],
  ['letters of other alphabets in the local part', text({ from: '<аnn@acme-works.test>' }), ONE_ADDRESS],
  ['a space before the colon of From', raw([`From : ${CEO}`, `From: ${ANN}`]), BROKEN_HEADER],
  ['a first line that goes on with nothing', raw([` From: ${CEO}`, `From: ${ANN}`]), BROKEN_HEADER],
  ['a line of spaces that might end the header', raw([`From: ${ANN}`, ' ', `From: ${CEO}`]), BROKEN_HEADER],
  ['a line without a colon', raw([`From: ${ANN}`, 'Hello there']), BROKEN_HEADER],
  ['the first line of a mailbox file', raw(['From ceo@bank.test Mon Jan  1 00:00:00 2026', `From: ${ANN}`]), BROKEN_HEADER],
  ['a name of a header in other letters', raw([`From: ${ANN}`, `Frоm: ${CEO}`]), BROKEN_HEADER],
  ['no header at all', '\r\nHello.\r\n', /^554 5\.6\.0 The mail has no From header\.$/],
  ['nothing at all', '', /^554 5\.6\.0 The mail has no From header\.$/],
  ['two subjects', text({ headers: ['Subject: another'] }), twice('subject')],
  ['two content types', text({ headers: ['Content-Type: text/plain', 'Content-Type: text/html'] }), twice('content-type')],
  ['two To headers', text({ headers: [`To: globex@${INBOUND}`] }), twice('to')],
  ['two Cc headers', text({ headers: ['Cc: a@b.test', 'Cc: c@d.test'] }), twice('cc')],
  ['two dates', text({ headers: ['Date: Thu, 1 Jan 2026 00:00:00 +0000'] }), twice('date')],
  ['two ids', text({ headers: ['Message-ID: <2@x>'] }), twice('message-id')],
  [
    'a header of 200,000 bytes',
    text({ headers: [`X-Long: ${`${'x '.repeat(300)}\r\n `.repeat(330)}x`] }),
    /^554 5\.6\.0 The header has more than 131072 bytes\.$/,
  ],
  [
    'a header without end',
    `From: ${ANN}\r\nX-Long: ${'x\r\n '.repeat(1_000_000)}`,
    /^554 5\.6\.0 The header has more than 131072 bytes\.$/,
  ],
  [
    'a header of 5,000 lines',
    text({ headers: [`X-Long: ${'x\r\n '.repeat(5_000)}x`] }),
    /^554 5\.6\.0 The header has more than 4000 lines\.$/,
  ],
  ['a line of 999 characters', text({ body: `${'x'.repeat(998)}\r\n${'x'.repeat(999)}\r\n` }), TOO_LONG],
  ['a line of 3 MB', text({ body: `${'x'.repeat(3_000_000)}\r\n` }), TOO_LONG],
  ['a header line of 999 characters', text({ headers: [`X-Long: ${'x'.repeat(991)}`] }), TOO_LONG],
  ['1,000,001 lines', text({ body: 'x\r\n'.repeat(1_000_001) }), /^554 5\.6\.0 The mail contains more than 1000000 lines; /],
  ['1,000 header fields', text({ headers: Array(1_000).fill('X-Y: z') }), /^554 5\.6\.0 The header has more than 500 fields\.$/],
  [
    '31 servers on its way',
    text({ headers: Array(31).fill('Received: from a by b') }),
    /^554 5\.4\.6 The mail has passed too many servers/,
  ],
  ['an automatic reply', text({ headers: ['Auto-Submitted: auto-replied (vacation)'] }), AUTOMATIC],
  ['an automatic notification', text({ headers: ['Auto-Submitted: auto-generated'] }), AUTOMATIC],
  ['an automatic reply of older kind', text({ headers: ['X-Autoreply: yes'] }), AUTOMATIC],
  ['bulk mail', text({ headers: ['Precedence: bulk'] }), AUTOMATIC],
  ['a reply in absence of older kind', text({ headers: ['Precedence: auto_reply'] }), AUTOMATIC],
  ['what a mailing list sends', text({ headers: ['Precedence: list'] }), AUTOMATIC],
  ['our own domain as its sender', text({ from: `<globex@${INBOUND}>` }), /^550 5\.7\.1 Mail from \S+in\.waybill\.test is not accepted\.$/],
  [
    'a domain below ours as its sender',
    text({ from: `<globex@eu.${INBOUND}>` }),
    /^550 5\.7\.1 Mail from \S+in\.waybill\.test is not accepted\.$/,
  ],
  ['somebody else in From than in MAIL FROM', text({ from: CEO }), UNPROVED],
  ['a name that is an address, before somebody else’s', text({ from: `"${ANN}" <${CEO}>` }), UNPROVED],
  [
    '101 files',
    text(
      multipart(
        'mixed',
        Array.from({ length: 101 }, (_, i) => attached(`${i}.txt`, 'text/plain', 'x')),
      ),
    ),
    /^554 5\.6\.0 files: must be at most 100\.$/,
  ],
  [
    'a file of more than 25 MB',
    text(multipart('mixed', [attached('big.bin', 'application/octet-stream', Buffer.alloc(25 * 1024 * 1024 + 1))])),
    /^552 5\.3\.4 A file inside of a request may have 26214400 bytes/,
  ],
  [
    '1,500 parts',
    text(multipart('mixed', Array(1_500).fill({ headers: ['Content-Type: text/plain'], body: 'x' }))),
    /^554 5\.6\.0 The parts of the mail are broken: it has more than 1000 parts\.$/,
  ],
  [
    'a part with a header without end',
    text(multipart('mixed', [{ headers: [`X-Long: ${'x\r\n '.repeat(200_000)}`], body: 'x' }])),
    /^554 5\.6\.0 The parts of the mail are broken: the header of a part has more than 8192 bytes\.$/,
  ],
  [
    'parts with 10,001 header lines',
    text(multipart('mixed', Array(10).fill({ headers: Array(1_001).fill('X: y'), body: 'x' }))),
    /^554 5\.6\.0 The parts of the mail are broken: the headers of its parts have more than 10000 lines\.$/,
  ],
  ['a NUL character in the header', text({ subject: 'a\0b' }), /^554 5\.6\.0 The mail contains a NUL character\.$/],
  ['a NUL character in the body', text({ body: 'a\0b\r\n' }), /^554 5\.6\.0 The mail contains a NUL character\.$/],
];

test.each(refusals)('%s: refused, and nothing stays', async (_, mail, expected) => {
  const before = [await tracesOfSends(world.service), await filesIn(world.filesFolder)];
  expect(await world.deliver({ mail })).toMatch(expected);
  expect([await tracesOfSends(world.service), await filesIn(world.filesFolder)]).toEqual(before);
});

const fromAnn = { from: { actor: { email: ANN } } };
const longSubject = 'Ä'.repeat(300);

const oddities: [string, string | Buffer, object][] = [
  ['a name that is somebody’s address', text({ from: `"${CEO}" <${ANN}>` }), { from: { actor: { email: ANN, name: ANN } } }],
  ['such a name without quotes', text({ from: `${CEO} <${ANN}>` }), { from: { actor: { email: ANN, name: ANN } } }],
  ['such a name, encoded', text({ from: `=?utf-8?Q?ceo=40bank.test?= <${ANN}>` }), { from: { actor: { email: ANN, name: ANN } } }],
  ['such a name with a wide at sign', text({ from: `"ceo＠bank.test" <${ANN}>` }), { from: { actor: { email: ANN, name: ANN } } }],
  ['such a name with a small at sign', text({ from: `"ceo﹫bank.test" <${ANN}>` }), { from: { actor: { email: ANN, name: ANN } } }],
  ['a name that looks like brackets', text({ from: `"<${CEO}>" <${ANN}>` }), { from: { actor: { email: ANN, name: ANN } } }],
  ['a name with marks that turn text around', text({ from: `"a\u{202e}b" <${ANN}>` }), { from: { actor: { email: ANN, name: 'a b' } } }],
  ['a name of 300 letters', text({ from: `${'n'.repeat(300)} <${ANN}>` }), { from: { actor: { email: ANN, name: 'n'.repeat(100) } } }],
  ['an encoded name', text({ from: `=?utf-8?B?${base64('Änn')}?= <${ANN}>` }), { from: { actor: { email: ANN, name: 'Änn' } } }],
  ['a folded From', text({ from: `Ann\r\n\t<${ANN}>` }), { from: { actor: { email: ANN, name: 'Ann' } } }],
  ['a comment behind the address', text({ from: `${ANN} (Ann)` }), fromAnn],
  ['an address in capitals', text({ from: 'ANN@ACME-WORKS.TEST' }), fromAnn],
  ['a domain of other letters', text({ from: 'ann@bücher.test' }), { from: { party: { domain: 'xn--bcher-kva.test' } } }],
  ['no subject', text({ subject: null }), { ...fromAnn, subject: null }],
  ['an encoded subject', text({ subject: `=?utf-8?B?${base64('Größe\r\nBcc: x')}?=` }), { subject: 'Größe Bcc: x' }],
  [
    'a subject of 300 letters',
    text({ subject: `=?utf-8?B?${base64(longSubject)}?=` }),
    { subject: `${'Ä'.repeat(199)}…`, note: `${longSubject}\n\nThree of A-1, please.` },
  ],
  ['lines of 998 characters', text({ body: `${'x'.repeat(998)}\r\n`.repeat(3) }), { note: Array(3).fill('x'.repeat(998)).join('\n') }],
  [
    'eleven signatures of others',
    text({ headers: Array(11).fill('DKIM-Signature: v=1; a=rsa-sha256; d=x; s=y; b=z; bh=z; h=from') }),
    fromAnn,
  ],
  ['no text', text({ body: '' }), { note: null, files: [] }],
  ['lines that begin with dots', text({ body: '.\r\n..\r\n...\r\n' }), { note: '.\n..\n...' }],
  [
    'a multipart mail without parts',
    text({ headers: ['Content-Type: multipart/mixed; boundary=x'], body: 'nothing\r\n' }),
    { note: null, files: [] },
  ],
  ['a multipart mail without a boundary', text({ headers: ['Content-Type: multipart/mixed'], body: 'nothing\r\n' }), fromAnn],
  [
    'a multipart mail that does not end',
    text({ headers: ['Content-Type: multipart/mixed; boundary=x'], body: '--x\r\n\r\nhalf\r\n' }),
    { note: 'half' },
  ],
  ['base64 that is none', text({ headers: ['Content-Transfer-Encoding: base64'], body: '!!!!\r\n' }), fromAnn],
  ['an unknown encoding', text({ headers: ['Content-Transfer-Encoding: x-uuencode'], body: 'as it is\r\n' }), { note: 'as it is' }],
  ['an unknown charset', text({ headers: ['Content-Type: text/plain; charset=klingon'], body: 'Qapla’\r\n' }), { note: 'Qapla’' }],
  ['bytes that are no UTF-8', Buffer.from(text({ body: 'caf\u{e9}\r\n' }), 'latin1'), { note: 'café' }],
  [
    'a text in Latin-1',
    Buffer.from(text({ headers: ['Content-Type: text/plain; charset=iso-8859-1'], body: 'caf\u{e9}\r\n' }), 'latin1'),
    { note: 'café' },
  ],
  [
    'an encoded NUL in the text',
    text({ headers: ['Content-Transfer-Encoding: base64'], body: `${base64('a\0b')}\r\n` }),
    { note: 'a\u{fffd}b', files: [{ filename: 'note.txt', size_bytes: 3 }] },
  ],
  [
    'a file name that leads elsewhere',
    text(multipart('mixed', [attached('../../etc/passwd', 'text/plain', 'x')])),
    { files: [{ filename: '../../etc/passwd' }] },
  ],
  [
    'a file without a name',
    text(multipart('mixed', [{ headers: ['Content-Type: application/pdf'], body: '%PDF' }])),
    { files: [{ filename: 'attachment-1.pdf', content_type: 'application/pdf' }] },
  ],
  [
    'a type of file that is none',
    text(multipart('mixed', [attached('a', 'no/such/type', 'x')])),
    { files: [{ content_type: 'application/octet-stream' }] },
  ],
  [
    'a mail inside of the mail',
    text(multipart('mixed', [{ headers: ['Content-Type: message/rfc822'], body: `From: ${CEO}\r\nSubject: inner\r\n\r\nPay me.` }])),
    { ...fromAnn, subject: 'Order 4711', note: null, files: [{ filename: 'attachment-1.eml' }] },
  ],
  [
    'a mail inside of the mail that is to be shown',
    text(
      multipart('mixed', [
        { headers: ['Content-Type: message/rfc822', 'Content-Disposition: inline'], body: `From: ${CEO}\r\n\r\nPay me.` },
      ]),
    ),
    { ...fromAnn, note: null, files: [{ filename: 'attachment-1.eml' }] },
  ],
  ['parts 200 deep', text(nested(200)), { note: 'deep' }],
  ['Auto-Submitted: no', text({ headers: ['Auto-Submitted: no'] }), fromAnn],
  ['30 servers on its way', text({ headers: Array(30).fill('Received: from a by b') }), fromAnn],
];

test.each(oddities)('%s: taken for what it is', async (_, mail, expected) => {
  const reply = await world.deliver({ mail, sender: mail.includes('bücher') ? 'ann@bücher.test' : ANN });
  expect(reply).toMatch(/^250 2\.0\.0 Delivered as msg_\w+$/);
  expect((await globex.api.get('/inbox?limit=1')).body.data[0]).toMatchObject({ id: reply.split(' ').at(-1), ...expected });
});

function nested(levels: number): { headers: string[]; body: string } {
  let inner = multipart('mixed', [{ headers: ['Content-Type: text/plain'], body: 'deep' }], 'b0');
  for (let i = 1; i < levels; i++) inner = multipart('mixed', [{ headers: inner.headers.slice(1), body: inner.body }], `b${i}`);
  return inner;
}

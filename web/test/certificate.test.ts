import { createHash } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatBundle } from '@waybill/proof';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forge } from '../../packages/proof/test/support/made.ts';
import { bundleOf, policy } from '../../packages/proof/test/support/sample.ts';
import {
  asBefore,
  expire,
  hashText,
  id,
  publicKeyOf,
  type SaidLink,
  said,
  signAsBefore,
  type Words,
} from '../../packages/proof/test/support/sample-message.ts';
import { builtPages } from '../../server/src/platform/processes/web-build.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

const LONG = '漢'.repeat(200);
const HOSTILE = '<img src=x onerror=alert(1)></p>\u202egnp.exe\u0007';

let world: World;
let reader: Visitor;
let address: string;
beforeAll(async () => {
  world = await openWorld();
  reader = await world.visitor();
  address = pathToFileURL(path.join(await builtPages(() => {}), 'verify.html')).href;
  await reader.page.goto(address);
});
afterAll(() => world.stop());

interface Trust {
  policy?: string;
  isPinned?: boolean;
}

async function verify(text: string, { policy: trusted = policy, isPinned = false }: Trust = {}, { page } = reader): Promise<void> {
  const keys = {
    trust: trusted,
    'sender-keys': isPinned ? publicKeyOf('sender') : '',
    'recipient-keys': isPinned ? publicKeyOf('recipient') : '',
  };
  for (const [name, value] of Object.entries(keys))
    await page.locator(`#${name}`).evaluate((field, given) => Object.assign(field, { value: given }), value);
  await page.locator('#result').evaluate((result) => result.replaceChildren());
  await page
    .locator('#files')
    .setInputFiles({ name: 'message.waybill-proof', mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
  await page.locator('#result h2').first().waitFor();
}

async function proof(say: (words: Words) => unknown = () => {}): Promise<string> {
  const words = said();
  say(words);
  return formatBundle(await bundleOf(words));
}

const headline = () => reader.page.locator('.verdict .headline').textContent();
const under = (heading: string) => reader.page.locator(`h3:text-is("${heading}") + *`).first();
const shown = async (heading: string) => (await under(heading).locator('li').allTextContents()).join('\n');
const standings = () => reader.page.locator('.standings .holds').allTextContents();
const chain = () => reader.page.getByRole('img', { name: 'The chain of evidence' });
const certificates = () => reader.page.locator('.certificate').count();

/** The sender's request has the contents of the envelope, whatever these are. */
function signAgain({ envelope, sent, json }: Words): void {
  const { type, subject, note, files } = envelope;
  const texts = Object.entries({ to: 'globex/orders', type, subject, note }).map(([name, text]) => `"${name}":${JSON.stringify(text)}`);
  sent.body = `{${texts.join(',')},"json":${json},"files":[${files.map((_, at) => `"upl_${at}"`).join(',')}]}`;
  sent.components['waybill-files'] = hashText(files.map(({ sha256 }) => `${sha256}\n`).join(''));
}

/** Each text as long as it can be, 100 files, and as many steps as there is room for in the log of the sample. */
async function largest(change: (words: Words) => unknown): Promise<string> {
  const words = said();
  const { envelope, chain: steps, recipientActor } = words;
  const [first, ...said2] = steps as [SaidLink, ...SaidLink[]];
  envelope.from.party = { ...envelope.from.party, display_name: LONG };
  envelope.from.actor.name = LONG;
  envelope.to.party = { ...envelope.to.party, display_name: LONG };
  Object.assign(envelope, { subject: LONG, type: 'x'.repeat(100), note: LONG });
  envelope.files = Array.from({ length: 100 }, (_, at) => ({
    content_type: 'text/plain',
    filename: LONG,
    id: `${id('file', 0).slice(0, -2)}${String(at).padStart(2, '0')}`,
    sha256: hashText(String(at)) as string | null,
    size_bytes: 1_234_567,
  }));
  recipientActor.name = LONG;
  words.domain.domain = `${'d'.repeat(60)}.${'e'.repeat(60)}.example`;
  const places = [...Array(50).keys()].filter((at) => at > 20 && ![25, 35].includes(at));
  words.chain = [...Array.from({ length: places.length - 2 }, () => ({ ...first })), ...said2.map((one) => ({ ...one, reason: LONG }))];
  for (const [at, link] of words.chain.entries()) link.index = places[at] as number;
  for (const link of said2) if (link.signed) link.signed.body = '';
  for (const link of words.chain)
    if (link.signed)
      link.signed = {
        ...link.signed,
        body: `{"status":"${link.status}","reason":${JSON.stringify(link.reason)},"content_hash":"{content_hash}","number":{number}}`,
      };
  signAgain(words);
  change(words);
  const bundle = await bundleOf(words);
  delete bundle.files;
  return formatBundle(bundle);
}

describe('the sentences', () => {
  test('say what is proven, on whose word, and against whom, by keys that the reader has from the parties', async () => {
    await verify(await proof(), { isPinned: true });
    expect(await headline()).toBe('Acme (acme) sent this message to Globex Corporation (globex). The recipient processed it.');
    const proven = await shown('Proven');
    for (const sentence of [
      /Entry 20 of the log waybill\.example\.com\/log is this message, “Order 4711”, from Acme \(acme\).*The operator of the log/,
      /The agent Order desk signed this message: its content, the bytes of its files, its recipient and the service.*The sender’s key sgk_0+1\./,
      /seen by north at 17 November 2026 at 09:00:02 UTC and south at.*The witnesses, by their signatures/,
      /handed the message over to a server of Globex Corporation.*The operator alone/,
      /Fulfilment of Globex Corporation \(globex\) signed at .* that the message was accepted, with the words “In stock”.*The recipient’s key sgk_0+2\./,
      /Up to step 3, nothing is missing/,
    ])
      expect(proven).toMatch(sentence);
    expect(await standings()).toEqual(['Holds', 'Holds', 'Holds']);
    expect(await reader.page.locator('#announcement').textContent()).toBe(`Verified ${await headline()}`);
    const open = await shown('Not proven');
    expect(open).toContain('are the companies or people of these names');
    expect(open).toContain('is the operator’s word, 2 seconds before others saw the entry');
    expect(open).not.toContain('is a key of');
    await reader.expectAccessible();
  });

  test('leave open whose the keys are, unless the reader knows', async () => {
    await verify(await proof());
    expect(await headline()).toContain('This holds if the keys that signed are theirs.');
    expect(await standings()).toEqual(['Holds in part', 'Holds in part', 'Holds']);
    const open = await shown('Not proven');
    expect(open).toMatch(/That sgk_0+1 is a key of Acme \(acme\): that is the operator’s word/);
    expect(open).toContain('the domain globex.example has vouched for it since 1 February 2026');
  });

  test('say that a key was revoked after it had signed', async () => {
    await verify(await proof((words) => (words.revocation = { at: '2026-11-17T09:00:01.800Z' })));
    expect(await shown('Not proven')).toMatch(
      /That sgk_0+1 was in the right hands when it signed: it was revoked later, at 17 November 2026 at 09:00:01 UTC/,
    );
  });

  test('say what a signature of 0.2 leaves open', async () => {
    await verify(await proof(asBefore), { isPinned: true });
    expect(await headline()).toMatch(/^By the operator’s word, Acme .* By the operator’s word, the recipient processed it\.$/);
    expect(await standings()).toEqual(['Holds in part', 'Holds in part', 'Holds']);
    expect(await shown('Not proven')).toContain(
      'A signature of the sender leaves open: the service, a nonce, the recipient, the files, the names and types of files and the thread.',
    );
    expect(await shown('Proven')).not.toContain('nothing is missing');
  });

  test('of what is not signed and not witnessed are the operator’s word', async () => {
    const bundle = await bundleOf(said());
    delete bundle.signature;
    bundle.acknowledgements = [];
    bundle.hand_overs = [];
    await verify(formatBundle(bundle), { policy: `${policy.split('\n').slice(0, 2).join('\n')}\nquorum none\n` });
    expect(await headline()).toBe('By the operator’s word, Acme (acme) sent this message to Globex Corporation (globex).');
    expect(await standings()).toEqual(['Does not hold', 'Does not hold', 'Holds in part']);
    expect(await shown('Not proven')).toContain('no witness that you trust has seen it');
    expect(await chain().textContent()).toContain('Witnesses, None');
  });

  test('say that nobody took a message in time', async () => {
    await verify(await proof(expire));
    expect(await headline()).toContain('By the operator’s word, nobody took it in time.');
    expect(await chain().textContent()).toContain('Step 1, Not taken');
  });

  test('prove nothing without a key, or where something does not hold', async () => {
    const bundle = await bundleOf(said());
    await verify(formatBundle(bundle), { policy: '' });
    expect(await headline()).toBe('Nothing is proven yet.');
    expect([await under('Proven').count(), await certificates(), await reader.page.locator('#result .link.proven').count()]).toEqual([
      0, 0, 0,
    ]);
    expect(await shown('Not proven')).toContain('anybody can make such a file');
    await reader.expectAccessible();
    await verify(formatBundle(bundle).replace('In stock', 'In stork'));
    expect(await headline()).toContain('Do not rely on this file');
    expect(await shown('What does not hold')).toBe('The signature is of another body.');
    expect([await under('Proven').count(), await certificates()]).toEqual([0, 0]);
    expect(await chain().textContent()).toContain('Does not hold (failed)');
    await reader.expectAccessible();
    await forge(bundle);
    await verify(formatBundle(bundle), { policy: '' });
    expect(await certificates()).toBe(0);
  });

  test('show what strangers wrote as text, with what is invisible made visible', async () => {
    const change = (words: Words) => {
      words.envelope.from.party = { ...words.envelope.from.party, display_name: HOSTILE };
      words.envelope.from.actor.name = HOSTILE;
      words.envelope.subject = HOSTILE;
      words.recipientActor.name = HOSTILE;
      signAgain(words);
      words.sent.components['waybill-files'] = said().sent.components['waybill-files'];
    };
    await verify(await proof(change), { isPinned: true });
    const text = await reader.page.locator('#result').textContent();
    expect(await reader.page.locator('#result .verdict h2').textContent()).toBe('Verified');
    expect(text).toContain('<img src=x onerror=alert(1)></p>⟨U+202E⟩gnp.exe⟨U+0007⟩');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there.
    expect(text).not.toMatch(/[\u202e\u0007]/);
    expect(await reader.page.locator('#result :is(img, script, iframe)').count()).toBe(0);
  });
});

describe('the picture', () => {
  test('says the same in words, in order, and fits a phone in the dark', async () => {
    const phone = await world.visitor({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await phone.page.goto(address);
    await verify(await largest(() => {}), {}, phone);
    expect(await phone.page.locator('.verdict h2').textContent()).toBe('Verified');
    const pictures = phone.page.getByRole('img', { name: 'The chain of evidence' });
    expect(await pictures.count()).toBe(1);
    expect(await pictures.getAttribute('class')).toBe('narrow');
    // 5 links of the log, and of the steps the first, the last, and how many are between.
    expect(await pictures.locator('.link').count()).toBe(15);
    expect(await pictures.textContent()).toMatch(
      /Message.*Log entry.*Checkpoint.*Witnesses.*Timestamp, None.*Step 1, Handed over.*18 steps more.*Step 26, Accepted.*Step 27, Processed/,
    );
    expect(await phone.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await phone.expectAccessible();
  });
});

describe('the certificate', () => {
  const pagesOf = async (page: Page) => {
    const pdf = await page.pdf({ preferCSSPageSize: true });
    return [...pdf.toString('latin1').matchAll(/\/Type\s*\/Page\b/g)].length;
  };
  /** Whether all of it is on the sheet. */
  const fits = async (page: Page) => {
    await page.emulateMedia({ media: 'print' });
    const sheet = page.locator('.certificate');
    await sheet.waitFor();
    const isWhole = await sheet.evaluate((one) => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth);
    await page.emulateMedia({ media: null });
    return isWhole;
  };

  test('is one page, and says by which keys which file was verified, and where to do it again', async () => {
    const text = await proof();
    await verify(text, { isPinned: true });
    const sheet = reader.page.locator('.certificate');
    const said = await sheet.textContent();
    for (const shownText of [
      `sha256:${createHash('sha256').update(text).digest('hex')}`,
      'waybill.example.com/log+',
      'https://waybill.example.com/verify.html',
      'By keys of the reader',
      'drawing.txt (25 bytes)',
      'witness.example.net/north+',
      `${publicKeyOf('sender')} (sender)`,
      `${publicKeyOf('recipient')} (recipient)`,
    ])
      expect(said).toContain(shownText);
    // The policy names this log, too. Nothing in the file is of it.
    expect(said).not.toContain('waybill.example.com/log/2+');
    const code = sheet.getByRole('img', { name: 'QR code', includeHidden: true });
    const hash = (await code.getAttribute('aria-label'))?.slice('QR code: '.length) ?? '';
    expect(said).toContain(hash);
    const { size } = encode(hash, { ecc: 'M', border: 2 });
    expect(await code.getAttribute('viewBox')).toBe(`0 0 ${size} ${size}`);
    expect(await reader.page.getByRole('button', { name: 'Print certificate' }).isVisible()).toBe(true);
    expect([await pagesOf(reader.page), await fits(reader.page)]).toEqual([1, true]);
    await reader.page.emulateMedia({ media: 'print' });
    expect(await reader.page.getByText('Choose or drop').isVisible()).toBe(false);
    await reader.expectAccessible();
    await reader.page.emulateMedia({ media: null });
  });

  test.each([
    ['signed', () => {}],
    ['signed as in 0.2', signAsBefore],
  ])('is one page with the longest names, 100 files and every step: %s', async (_name, change) => {
    await verify(await largest(change));
    expect(await reader.page.locator('.verdict h2').textContent()).toBe('Verified');
    expect([await pagesOf(reader.page), await fits(reader.page)]).toEqual([1, true]);
    expect(await reader.page.locator('.certificate').textContent()).toContain('and 98 more files');
  });

  test('prints the longest addresses whole', async () => {
    const address = (end: string) => `globex.example.${'a'.repeat(240 - end.length)}@${end}`;
    const domain = `${'globex.'.repeat(30)}evil.example`;
    const change = (words: Words) => {
      const mailbox = { kind: 'mailbox', email: address('evil.example'), display_name: LONG };
      Object.assign(words.envelope.from, { party: mailbox });
      Object.assign(words.senderKey, { party: mailbox });
      words.envelope.to = { party: { kind: 'domain', domain, display_name: LONG }, segment: null };
      words.sent.body = words.sent.body.replace('"to":"globex/orders",', '');
      words.sent.components['waybill-recipient'] = `orders@${domain}`;
    };
    await verify(await largest(change));
    expect(await reader.page.locator('.verdict h2').textContent()).toBe('Verified');
    const said = await reader.page.locator('.certificate').textContent();
    for (const id of [address('evil.example'), domain]) expect(said).toContain(`(${id})`);
    expect([await pagesOf(reader.page), await fits(reader.page)]).toEqual([1, true]);
  });

  test('of a receipt has the link of the receipt, and says that the keys came from the service', async () => {
    const globex = await world.service.business('globex');
    await world.service.business('acme');
    const { body: sent } = await globex.api.send({ to: 'acme', subject: HOSTILE, json: { items: 3 } });
    const { page, open, expectAccessible } = await world.visitor();
    await open(new URL(sent.receipt_url).pathname);
    await page.getByRole('heading', { name: 'What this proves' }).scrollIntoViewIfNeeded();
    await page.locator('.evidence').waitFor();
    expect(await page.locator('main .headline').textContent()).toMatch(/^By the operator’s word, .*globex.* sent this message to /);
    expect(await page.locator('.standings .holds').allTextContents()).toEqual(['Does not hold', 'Does not hold', 'Holds in part']);
    const notProven = await page.locator('h3:text-is("Not proven") + ul').textContent();
    expect(notProven).toContain(`The page got the log’s key from ${new URL(world.service.url).host} itself`);
    await expectAccessible();
    const label = await page.locator('.certificate .code svg').getAttribute('aria-label');
    expect(label).toBe(`QR code: ${sent.receipt_url}`);
    expect(await page.locator('.certificate').textContent()).toContain('By keys of the service');
    expect(await page.getByRole('button', { name: 'Print certificate' }).isVisible()).toBe(true);
    expect([await pagesOf(page), await fits(page)]).toEqual([1, true]);
  });
});

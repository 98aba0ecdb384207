import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { canonicalJson } from '@waybill/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Forgery, VECTORS, type Vector } from '../../packages/proof/test/support/vectors.ts';
import { builtPages } from '../../server/src/platform/processes/web-build.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

const read = (name: string) => readFileSync(path.join(VECTORS, name));
const text = (name: string) => read(name).toString('utf8');
const upload = (name: string) => ({ name: path.basename(name), mimeType: 'application/octet-stream', buffer: read(name) });

const NO_KEY = 'Not verified: no trusted key';

let world: World;
let reader: Visitor;
let file: string;
const requests: string[] = [];
beforeAll(async () => {
  world = await openWorld();
  reader = await world.visitor();
  file = path.join(await builtPages(() => {}), 'verify.html');
  // The page is offline, and all its requests are recorded.
  await reader.context.setOffline(true);
  reader.page.on('request', (request) => requests.push(request.url()));
  await reader.page.goto(pathToFileURL(file).href);
  // The fields for the keys of parties are folded.
  for (const fold of await reader.page.locator('details:not([open]) > summary').all()) await fold.click();
});
afterAll(() => world.stop());

async function choose(...names: string[]): Promise<void> {
  await reader.page.locator('#result').evaluate((result) => result.replaceChildren());
  await reader.page.locator('#files').setInputFiles(names.map(upload));
  await reader.page.locator('#result h2').first().waitFor();
}
const verdict = () => reader.page.locator('#result h2').first().textContent();
const failed = async () => [...new Set(await reader.page.locator('#result li:has(.bad) .part').allTextContents())].sort();

async function trust(kind: Vector['trust'], given: Vector['given'] = {}): Promise<void> {
  const keys = { policy: text('policy.txt'), vkey: text('vkey.txt'), none: '' }[kind];
  await reader.page.locator('#trust').fill(keys);
  await reader.page.locator('#sender-keys').fill(given.sender_keys?.join('\n') ?? '');
  await reader.page.locator('#recipient-keys').fill(given.recipient_keys?.join('\n') ?? '');
  await reader.page.locator('#authorities').fill(given.authorities?.join('\n') ?? '');
}

describe('the page that verifies from disk', () => {
  test('has the expected verdict of each vector, and asks nobody', async () => {
    const words = { verified: 'Verified', failed: 'Not verified', unusable: 'Not a proof', untrusted: NO_KEY };
    for (const vector of JSON.parse(text('vectors.json')) as Vector[]) {
      await trust(vector.trust, vector.given);
      await choose(vector.file, 'tsa-root.pem');
      expect(await verdict(), vector.name).toBe(words[vector.verdict]);
      // A key that came with the file verifies no line.
      if (vector.trust === 'none') expect(await reader.page.locator('#result .good').count(), vector.name).toBe(0);
      expect(await failed(), vector.name).toEqual([]);
    }
    expect(requests).toEqual([pathToFileURL(file).href]);
  });

  test('refuses each forgery for the reason that is listed', async () => {
    for (const forgery of JSON.parse(text('forgeries/forgeries.json')) as Forgery[]) {
      await trust(forgery.trust, forgery.given);
      await choose(`forgeries/${forgery.file}`, 'tsa-root.pem');
      const lines = reader.page.locator('#result li[data-reason]');
      const found = await lines.evaluateAll((all) => all.map(({ dataset }) => `${dataset['part']} ${dataset['reason']}`));
      expect([await verdict(), new Set(found)], forgery.name).toEqual([
        'Not verified',
        new Set(forgery.failed.map(({ part, reason }) => `${part} ${reason}`)),
      ]);
    }
  });

  test('compares files and JSON, leaves the time open without its authority, and is accessible', async () => {
    await trust('none');
    await choose('untrusted-forged.waybill-proof');
    const result = reader.page.locator('#result');
    expect(await verdict()).toBe(NO_KEY);
    expect(await result.textContent()).toContain('Add the key of the log that you know');
    await reader.expectAccessible();
    await trust('policy');
    await choose('good-everything.waybill-proof');
    expect(await result.locator('li', { hasText: 'Test timestamps' }).locator('.state').textContent()).toBe('Not checked');
    await choose('good-everything.waybill-proof', 'order.json', 'drawing.txt', 'tsa-root.pem');
    expect(await verdict()).toBe('Verified');
    expect(await result.textContent()).toContain('The JSON that you gave is that of the message');
    expect(await result.textContent()).toContain('drawing.txt is the file file_');
    expect(await result.textContent()).toContain('whom you trust');
    await reader.expectAccessible();
    await choose('good-everything.waybill-proof', 'policy.txt');
    expect(await verdict()).toBe('Not verified');
    expect(await result.textContent()).toContain('policy.txt is not a file of the message.');
    await choose('policy.txt');
    expect(await result.textContent()).toContain('policy.txt is not a file of the message.');
  });

  test('fails for JSON from which others may read another value, and says when only the bytes differ', async () => {
    await trust('policy');
    const choosing = async (json: string) => {
      await reader.page.locator('#result').evaluate((result) => result.replaceChildren());
      const given = { name: 'given.json', mimeType: 'application/json', buffer: Buffer.from(json) };
      await reader.page.locator('#files').setInputFiles([upload('good-json-with-repeated-keys.waybill-proof'), given]);
      await reader.page.locator('#result h2').first().waitFor();
      return [await verdict(), await failed(), await reader.page.locator('#result').textContent()];
    };
    expect(await choosing('{"big":1e16,"a":2}')).toEqual(['Verified', [], expect.stringContaining('but not its bytes')]);
    expect(await choosing('{"a":1,"a":2,"big":1e16}')).toEqual([
      'Not verified',
      ['JSON'],
      expect.stringContaining('others may read another value'),
    ]);
  });

  test('reports a broken envelope as other verifiers do, and counts a file under two names once', async () => {
    await trust('policy');
    const bundle = JSON.parse(text('good-everything.waybill-proof'));
    const choosing = async (...files: [name: string, content: string | Buffer][]) => {
      await reader.page.locator('#result').evaluate((result) => result.replaceChildren());
      const chosen = files.map(([name, content]) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) }));
      await reader.page.locator('#files').setInputFiles(chosen);
      await reader.page.locator('#result h2').first().waitFor();
    };
    await choosing(['broken.waybill-proof', canonicalJson({ ...bundle, envelope: '{' })]);
    expect(await verdict()).toBe('Not verified');
    expect(await reader.page.locator('#result li[data-part=content]').getAttribute('data-reason')).toBe('malformed');
    await choosing(['good.waybill-proof', canonicalJson(bundle)], ['drawing.txt', read('drawing.txt')], ['copy.txt', read('drawing.txt')]);
    expect(await reader.page.locator('#result').textContent()).toContain('What was sent includes the 1 file that you chose.');
  });

  test('is served as it is, with a policy that lets it connect to nothing', async () => {
    const response = await fetch(`${world.service.url}/verify.html`);
    const page = await response.text();
    expect(page).toBe(readFileSync(file, 'utf8'));
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    const script = /<script type="module">([\s\S]+)<\/script>/.exec(page)?.[1] ?? '';
    expect(policy).toContain(createHash('sha256').update(script).digest('base64'));
    expect(page).not.toMatch(/(?:src|href)=/);
  });
});

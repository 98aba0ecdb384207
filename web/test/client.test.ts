import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

const SOURCES = path.resolve(import.meta.dirname, '../../packages/client/src');
const JSON_TEXT = '{ "big": 12345678901234567890, "total": 1.0 }';

/**
 * Does what a page does with the client. The file has two upload parts and is hashed by a script, because Web Crypto can't hash in pieces.
 */
const PROGRAM = `
import { signWebhook, verifyWebhook, Waybill } from './index.ts';
const [acme, globex] = JSON.parse(decodeURIComponent(location.hash.slice(1))).map((key) => new Waybill({ baseUrl: location.origin, key }));
const bytes = new Uint8Array(17 * 1_048_576).map((_, index) => index % 251);
const uploaded = await acme.upload(new File([bytes], 'scan.tiff', { type: 'image/tiff' }));
const sent = await acme.send({ to: 'globex', jsonText: ${JSON.stringify(JSON_TEXT)}, files: [uploaded] });
const events = globex.events();
const { value: event } = await events.next();
await events.return();
const [got] = await globex.inbox().take(1);
const received = new Uint8Array(await new Response(globex.download(got.files[0])).arrayBuffer());
const secret = 'whsec_' + btoa('a secret for a test in a browser');
const headers = await signWebhook(secret, { id: sent.id, body: sent.envelopeText });
const { message } = await verifyWebhook({ key: secret, headers: new Headers(headers), body: sent.envelopeText });
const refused = await acme.send({ to: 'nobody-has-this' }).catch(({ code }) => code);
window.results = {
  jsonText: got.jsonText,
  hash: got.files[0].sha256 === uploaded.sha256,
  bytes: received.length === bytes.length && received.every((byte, index) => byte === bytes[index]),
  event: event.type,
  verified: message.id === sent.id,
  refused,
};`;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

test('the client for programs works in a browser', async () => {
  const keys = [(await world.service.business('acme')).secret, (await world.service.business('globex')).secret];
  const { page } = await world.visitor();
  await page.route('**/client/**', (route) => {
    const name = path.basename(new URL(route.request().url()).pathname);
    if (name === 'page') return route.fulfill({ contentType: 'text/html', body: '<script type="module" src="program.js"></script>' });
    if (name === 'program.js') return route.fulfill({ contentType: 'text/javascript', body: PROGRAM });
    const code = stripTypeScriptTypes(readFileSync(path.join(SOURCES, name), 'utf8'));
    return route.fulfill({ contentType: 'text/javascript', body: code });
  });
  await page.goto(`/client/page#${encodeURIComponent(JSON.stringify(keys))}`);
  const results = await page.waitForFunction('window.results', undefined, { timeout: 120_000 });
  expect(await results.jsonValue()).toEqual({
    jsonText: JSON_TEXT,
    hash: true,
    bytes: true,
    event: 'messages',
    verified: true,
    refused: 'unknown_recipient',
  });
});

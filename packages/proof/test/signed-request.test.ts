import { parseSignature, signRequest } from '@waybill/client';
import { describe, expect, test } from 'vitest';
import { formatBundle, verifyBundle } from '../src/index.ts';
import { keyOf } from './support/keys.ts';
import { bundleOf, policy } from './support/sample.ts';
import { said } from './support/sample-message.ts';

/** The bundle of a message whose request the client signed. `edit` changes the body that is signed. */
async function signedByClient(edit: (body: string) => string = (body) => body, segment: string | null = 'orders'): Promise<string> {
  const words = said();
  words.envelope.to.segment = segment;
  const bundle = await bundleOf(words);
  const body = edit(words.sent.body);
  const key = { id: words.senderKey.id, privateKey: keyOf('sender').privateKey };
  const { createdS } = words.sent;
  const headers = await signRequest(key, { method: 'POST', path: '/v1/messages', body, idempotencyKey: 'order-4711', createdS });
  const { parameters, signature } = parseSignature(headers['signature-input'], headers.signature);
  if (!bundle.signature) throw new Error('the sample is signed');
  bundle.signature = {
    ...bundle.signature,
    signature_input: parameters.text,
    signature: Buffer.from(signature).toString('base64'),
    components: {
      '@method': 'POST',
      '@path': '/v1/messages',
      'content-digest': headers['content-digest'],
      'idempotency-key': 'order-4711',
    },
    body,
  };
  return formatBundle(bundle);
}

const signatureOf = async (text: string) => (await verifyBundle(text, { policy })).checks.find(({ part }) => part === 'signature');

describe('a request that the client signed', () => {
  test('verifies as part of a proof', async () => {
    const signature = await signatureOf(await signedByClient());
    expect(signature).toMatchObject({
      state: 'unchecked',
      text: expect.stringMatching(/Order desk.*Not covered: the service, .*the recipient/),
    });
  });

  test.each([
    ['globex', null],
    ['@globex', null],
    ['globex@in.waybill.example', null],
    ['GLOBEX/orders', 'orders'],
    ['globex+orders@in.waybill.example', 'orders'],
  ])('may address the recipient as %s', async (to, segment) => {
    const addressed = (wanted: string | null) => signedByClient((body) => body.replace('globex/orders', to), wanted);
    expect(await signatureOf(await addressed(segment))).toMatchObject({ state: 'unchecked' });
    // And no other segment of it.
    for (const other of [segment === null ? 'orders' : null, 'invoices'])
      expect(await signatureOf(await addressed(other))).toMatchObject({ state: 'failed', reason: 'another-recipient' });
  });

  test.each([
    ['another recipient', 'globex/orders', 'globexx/orders'],
    ['another segment', 'globex/orders', 'globex/invoices'],
    ['another note', 'danke', 'bitte'],
    ['other JSON', '"total": 1.0', '"total": 1.5'],
    ['JSON without a canonical form', '"total": 1.0', '"total": 1e400'],
    ['no JSON', '"json":', '"jsom":'],
    ['another number of files', '["upl_1","upl_2"]', '["upl_1"]'],
    ['another message that it replies to', '{"to"', '{"in_reply_to":"msg_00000000000000000000000009","to"'],
    ['no JSON object as its body', '{"to"', '["to"'],
  ])('fails with %s', async (_name, from, to) => {
    expect(await signatureOf(await signedByClient((body) => body.replace(from, to)))).toMatchObject({ state: 'failed' });
  });
});

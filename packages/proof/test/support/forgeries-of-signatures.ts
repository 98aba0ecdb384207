import { acknowledgerIn, type Forged, other, signatureIn } from './made.ts';
import { acknowledgement, expire, hashText, id, linkOf, requestOf, type Words } from './sample-message.ts';

/* Forgeries of what was signed: a real signature is shown with something else, or covers less than it seems to. */

const signed = (reason: Forged['fails'][number][1]): Forged['fails'] => [['signature', reason]];
const acknowledged = (reason: Forged['fails'][number][1]): Forged['fails'] => [['acknowledgement', reason]];

export const SIGNATURES: Record<string, Forged> = {
  'sender-signature-changed': {
    story: 'The message was never signed: the bytes of the signature are others than the key makes.',
    fails: signed('wrong-signature'),
    forge: (bundle) => (signatureIn(bundle).signature = other(signatureIn(bundle).signature)),
  },
  'sender-signed-another-subject': {
    story: 'The operator changes the subject before it logs the message. Log and envelope agree; only the signed request does not.',
    fails: signed('another-content'),
    say: (words) => (words.envelope.subject = 'Order 4712'),
  },
  'sender-signed-another-note': {
    story: 'The operator adds a condition to the note. The log vouches for it; the sender signed another one.',
    fails: signed('another-content'),
    say: (words) => (words.envelope.note = 'Zahlbar im Voraus'),
  },
  'sender-signed-another-type': {
    story: 'A quote is delivered as an order.',
    fails: signed('another-content'),
    say: (words) => (words.sent.body = words.sent.body.replace('"type":"order"', '"type":"quote"')),
  },
  'sender-signed-another-json': {
    story: 'The quantity in the JSON is changed, and both hashes in the envelope with it.',
    fails: signed('another-content'),
    say: (words) => (words.sent.body = words.sent.body.replace('"quantity":3', '"quantity":4')),
  },
  'sender-signed-the-same-value': {
    story: 'The sender signed JSON of the same value, but other bytes than the envelope says were sent.',
    fails: signed('another-content'),
    say: (words) => (words.sent.body = words.sent.body.replace('"order": 4711', '"order":4711')),
  },
  'sender-signed-json-beyond-doubles': {
    story: 'The sender signed a number that no double can hold. What it was hashed as is up to each program.',
    fails: signed('malformed'),
    say: (words) => (words.sent.body = words.sent.body.replace('4711, ', '1e400, ')),
  },
  'sender-signed-another-time-limit': {
    story: 'The operator gives the message a time limit that the sender did not set, to log that nobody took it.',
    fails: signed('another-content'),
    say: (words) => (words.envelope.expires_at = '2026-11-17T09:01:00.123Z'),
  },
  'time-limit-shortened': {
    story: 'The sender gave the recipient ten minutes. The operator makes it one, and logs that nobody took the message in time.',
    fails: signed('another-content'),
    say: (words) => {
      expire(words);
      words.sent.body = words.sent.body.replace('"expires_in":60', '"expires_in":600');
    },
  },
  'new-message-delivered-as-a-reply': {
    story: 'The sender wrote “agreed” as a new message. The operator delivers it as the reply to an offer that the sender never saw.',
    fails: signed('another-content'),
    say: (words) => (words.envelope.in_reply_to = id('msg', 9)),
  },
  'reply-delivered-as-a-new-message': {
    story: 'The sender replied to a question. The operator delivers the reply without it, so that it means something else.',
    fails: signed('another-content'),
    say: (words) => {
      replyWithout(words, 'globex');
      words.envelope.in_reply_to = null;
    },
  },
  'sender-named-no-segment': {
    story: 'A request to Globex as a whole is delivered to the one segment that the operator likes.',
    fails: signed('another-recipient'),
    say: (words) => (words.sent.body = words.sent.body.replace('globex/orders', 'globex')),
  },
  'sender-signed-to-somebody-else': {
    story: 'A request to Initech is delivered to Globex.',
    fails: signed('another-recipient'),
    say: (words) => (words.sent.body = words.sent.body.replace('globex/', 'initech/')),
  },
  'sender-signed-for-another-segment': {
    story: 'A request to the invoices of Globex is delivered to its orders.',
    fails: signed('another-recipient'),
    say: (words) => (words.sent.body = words.sent.body.replace('globex/orders', 'globex/invoices')),
  },
  'reply-delivered-to-somebody-else': {
    story: 'A reply names no recipient in its body. The operator delivers it to Globex, though it replies to Initech: the header says so.',
    fails: signed('another-recipient'),
    say: (words) => replyWithout(words, 'initech'),
  },
  'mail-address-delivered-to-a-handle': {
    story: 'A message to globex@gmail.com is delivered to the business with the handle “globex”.',
    fails: signed('another-recipient'),
    say: (words) => replyWithout(words, 'globex@gmail.com'),
  },
  'recipient-not-percent-encoded': {
    story: 'The recipient in the header is no percent-encoded text: two readers may decode it to two recipients.',
    fails: signed('malformed'),
    say: (words) => (words.sent.components['waybill-recipient'] = 'globex%zz'),
  },
  'request-for-another-service': {
    story: 'The request was sent to another service, whose operator hands it on. There, “globex” is somebody else.',
    fails: signed('another-service'),
    say: (words) => (words.sent.components['@authority'] = 'other.example.com'),
  },
  'request-for-another-port': {
    story: 'The request was sent to a test instance on the same host.',
    fails: signed('another-service'),
    say: (words) => (words.sent.components['@authority'] = 'waybill.example.com:8443'),
  },
  'request-of-yesterday': {
    story: 'The operator keeps a signed request, and delivers it as a new message on the next day.',
    fails: signed('another-time'),
    say: (words) => (words.sent.createdS -= 86_400),
  },
  'request-that-had-expired': {
    story: 'The sender signed with an end of two minutes. The operator holds the request back, and delivers it when the price has changed.',
    fails: signed('another-time'),
    say: (words) => {
      words.sent.createdS -= 300;
      words.sent.expiresS = words.sent.createdS + 120;
    },
  },
  'request-to-another-path': {
    story: 'A body that was signed for something else, such as an invitation, is shown as a message.',
    fails: signed('another-request'),
    say: (words) => (words.sent.path = '/v1/invitations'),
  },
  'request-of-another-method': {
    story: 'A signed PUT of the same path and body is shown as the POST of a message.',
    fails: signed('another-request'),
    say: (words) => (words.sent.components['@method'] = 'PUT'),
  },
  'request-body-changed': {
    story: 'The body is exchanged, and the digest that was signed stays.',
    fails: signed('another-body'),
    forge: (bundle) => (signatureIn(bundle).body = signatureIn(bundle).body.replace('{"to"', '{ "to"')),
  },
  'request-component-added': {
    story: 'A component that the signature does not cover is shown beside those that it does.',
    fails: signed('other-components'),
    forge: (bundle) => (signatureIn(bundle).components['content-type'] = 'application/json'),
  },
  'request-recipient-not-covered': {
    story: 'The recipient is among the components, but taken out of the list of those that are covered.',
    fails: signed('other-components'),
    forge: (bundle) => (signatureIn(bundle).signature_input = signatureIn(bundle).signature_input.replace(' "waybill-recipient"', '')),
  },
  'request-names-a-component-twice': {
    story: 'The list of what is covered names the path twice: two verifiers may build two texts from it.',
    fails: signed('malformed'),
    forge: (bundle) => (signatureIn(bundle).signature_input = signatureIn(bundle).signature_input.replace('"@path"', '"@path" "@path"')),
  },
  'request-with-an-unknown-parameter': {
    story: 'The signature has a parameter that nobody knows, such as one that would say which part of a component counts.',
    fails: signed('malformed'),
    forge: (bundle) => (signatureIn(bundle).signature_input += ';sf="1"'),
  },
  'request-with-a-newline-in-a-parameter': {
    story: 'A parameter has a line break, so that one line of the signed text passes for two.',
    fails: signed('malformed'),
    say: (words) => (words.sent.more = ';tag="a\nb"'),
  },
  'request-with-another-script-in-a-parameter': {
    story: 'A parameter has a letter that no header can have: the request was never sent in this form.',
    fails: signed('malformed'),
    say: (words) => (words.sent.more = ';tag="für"'),
  },
  'request-with-a-number-for-a-text': {
    story: 'The tag is a number. One verifier ignores it, and another one refuses it.',
    fails: signed('malformed'),
    say: (words) => (words.sent.more = ';tag=5'),
  },
  'request-with-long-parameters': {
    story: 'The parameters are longer than a service takes them: the request was never accepted.',
    fails: signed('malformed'),
    say: (words) => (words.sent.more = `;tag="${'a'.repeat(2_048)}"`),
  },
  'request-covers-too-little': {
    story: 'The path is taken out of the list of what is covered, and out of the components.',
    fails: signed('covers-too-little'),
    forge: (bundle) => {
      const signature = signatureIn(bundle);
      signature.signature_input = signature.signature_input.replace('"@path" ', '');
      delete signature.components['@path'];
    },
  },
  'request-covers-a-secret': {
    story: 'The signature covers the Authorization header, so that the file would have to show a secret to be verified.',
    fails: signed('covers-too-little'),
    say: (words) => (words.sent.components['authorization'] = 'Bearer secret'),
  },
  'request-with-a-short-nonce': {
    story: 'The nonce has one character: the signer’s next request may have the same, and one could pass for a repeat of the other.',
    fails: signed('malformed'),
    say: (words) => (words.sent.nonce = 'a'),
  },
  'files-of-an-earlier-request': {
    story: 'The header with the hashes of files is that of an earlier message of the sender.',
    fails: signed('other-files'),
    say: (words) => (words.sent.components['waybill-files'] = hashText('earlier')),
  },
  'acknowledgement-under-another-envelope': {
    story: 'A real signed “accepted” is shown under another envelope with the same id. Path and status agree; the signed hash does not.',
    fails: acknowledged('another-content'),
    say: (words) => {
      const request = requestOf(words, 'accepted');
      request.body = request.body.replace('{content_hash}', hashText('another contract'));
    },
  },
  'acknowledgement-signed-otherwise': {
    story: 'The recipient signed “rejected”. The operator logs “accepted” and shows the signature.',
    fails: acknowledged('another-content'),
    say: (words) => (requestOf(words, 'accepted').body = requestOf(words, 'accepted').body.replace('accepted', 'rejected')),
  },
  'acknowledgement-with-another-reason': {
    story: 'The recipient accepted “in part”. The operator logs another reason.',
    fails: acknowledged('another-content'),
    say: (words) => (requestOf(words, 'accepted').body = requestOf(words, 'accepted').body.replace('In stock', 'In part')),
  },
  'acknowledgement-signed-for-another-message': {
    story: 'The signed “accepted” of another message is shown for this one.',
    fails: acknowledged('another-request'),
    say: (words) => (requestOf(words, 'accepted').path = `/v1/messages/${id('msg', 2)}/acknowledge`),
  },
  'acknowledgement-signed-with-another-number': {
    story: 'A statement that came between is left out, and the later ones get its number. The recipient signed the number.',
    fails: acknowledged('another-number'),
    say: (words) => (requestOf(words, 'processed').body = requestOf(words, 'processed').body.replace('{number}', '4')),
  },
  'acknowledgement-signed-with-null-for-a-number': {
    story:
      'The recipient signed that its acknowledgement has no number. A verifier that can’t tell null from nothing takes it for an older one.',
    fails: acknowledged('another-number'),
    say: (words) => (words.chain = [{ ...linkOf(words, 'accepted'), number: null }]),
  },
  'acknowledgement-signed-with-true-for-a-number': {
    story: 'The recipient signed the number “true”, which some languages take for 1.',
    fails: acknowledged('another-number'),
    say: (words) => {
      words.chain = [acknowledgement('accepted', 'In stock', '2026-11-17T09:00:01.500Z', 28)];
      requestOf(words, 'accepted').body = requestOf(words, 'accepted').body.replace('{number}', 'true');
    },
  },
  'acknowledgement-signed-for-another-service': {
    story: 'The “accepted” was sent to another service, which has a message of the same id.',
    fails: acknowledged('another-service'),
    say: (words) => (requestOf(words, 'accepted').components['@authority'] = 'other.example.com'),
  },
  'acknowledgement-signature-changed': {
    story: 'The acknowledgement was never signed: the bytes of its signature are others than the key makes.',
    fails: acknowledged('wrong-signature'),
    forge: (bundle) => (acknowledgerIn(bundle).signature = other(acknowledgerIn(bundle).signature)),
  },
  'acknowledgement-signed-at-another-time': {
    story: 'The operator keeps a signed “accepted” for a day, and logs it after the price has risen.',
    fails: acknowledged('another-time'),
    say: (words) => (requestOf(words, 'accepted').createdS -= 86_400),
  },
};

function replyWithout(words: Words, recipient: string): void {
  words.envelope.in_reply_to = id('msg', 9);
  words.sent.body = words.sent.body.replace('"to":"globex/orders"', `"in_reply_to":"${id('msg', 9)}"`);
  words.sent.components['waybill-recipient'] = recipient;
}

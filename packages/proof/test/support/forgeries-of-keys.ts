import { LEAF, leafOfStatement } from '../../src/index.ts';
import { acknowledgerIn, type Forged, present, signatureIn } from './made.ts';
import { foreignProof, laterProof } from './sample.ts';
import { id, publicKeyOf } from './sample-message.ts';

/* Forgeries of keys: signatures that are right, by a key that is not. */

/** A point of order 1, for which the signature below fits each text, if a verifier does not refuse the key. */
const WEAK_KEY = Buffer.from(Uint8Array.of(1, ...new Uint8Array(31))).toString('base64');
const UNIVERSAL_SIGNATURE = Buffer.from(Uint8Array.of(1, ...new Uint8Array(63))).toString('base64');

export const KEYS: Record<string, Forged> = {
  'key-made-up-by-the-operator': {
    given: { sender_keys: [publicKeyOf('sender')] },
    story:
      'The operator logs a key of its own as one of the sender’s agent, before it signs a message with it. Only you can know the real one.',
    fails: [['key', 'another-key']],
    say: (words) => {
      words.senderKey.public_key = publicKeyOf('operator');
      words.sent.by = 'operator';
    },
  },
  'recipient-key-made-up-by-the-operator': {
    given: { recipient_keys: [publicKeyOf('recipient')] },
    story: 'The operator logs a key of its own as one of the recipient’s agent, and accepts the offer with it.',
    fails: [['key', 'another-key']],
    say: (words) => {
      words.recipientKey.public_key = publicKeyOf('operator');
      words.domain.keys = [publicKeyOf('operator')];
      for (const { signed } of words.chain) if (signed) signed.by = 'operator';
    },
  },
  'signature-left-out': {
    given: { sender_keys: [publicKeyOf('sender')] },
    story: 'The operator changes the message and leaves out the signature. A message without one is verified as the word of the service.',
    fails: [['key', 'not-signed']],
    forge: (bundle) => void delete bundle.signature,
  },
  'acknowledgement-signature-left-out': {
    given: { recipient_keys: [id('sgk', 2)] },
    story: 'The operator accepts the offer itself. An acknowledgement without a signature is verified as the word of the service.',
    fails: [['key', 'not-signed']],
    forge: (bundle) => void delete present(bundle.acknowledgements?.[0]).signature,
  },
  'key-registered-after-the-message': {
    story: 'The operator makes up a key when it is asked for a signature, and says in the statement that the key is from last year.',
    fails: [['signature', 'key-after-signature']],
    say: (words) => (words.places.senderKey = 45),
  },
  'key-registered-later-by-its-time': {
    story: 'The key is in another log, so that its index says nothing. By its own statement, it was registered after the message.',
    fails: [['signature', 'key-after-signature']],
    say: (words) => (words.senderKey.at = '2026-11-17T10:00:00.000Z'),
  },
  'recipient-key-registered-after-the-acknowledgement': {
    story: 'The key of the recipient was logged after the acknowledgement that it is said to have signed.',
    fails: [['acknowledgement', 'key-after-signature']],
    say: (words) => (words.places.recipientKey = 46),
  },
  'key-revoked-before': {
    story: 'A stolen key, which its owner has revoked, signs one more message. The registration is still in the log.',
    fails: [['signature', 'revoked-before']],
    say: (words) => {
      words.places.senderKey = 5;
      words.places.revocation = 15;
      words.revocation = { at: '2026-11-17T08:00:00.000Z' };
    },
  },
  'key-revoked-before-by-its-place': {
    story: 'The revocation is in the log before the message, and states a later time.',
    fails: [['signature', 'revoked-before']],
    say: (words) => {
      words.places.senderKey = 5;
      words.places.revocation = 15;
      words.revocation = { at: '2026-11-17T09:30:00.000Z' };
    },
  },
  'revocation-of-another-key': {
    story: 'The file shows the revocation of another key, which is later than the message, in place of the right one, which is earlier.',
    fails: [['signature', 'another-revocation']],
    say: (words) => (words.revocation = { at: '2026-11-17T09:00:01.800Z', id: id('sgk', 7) }),
  },
  'revocation-that-is-a-registration': {
    story: 'A second registration is shown where the revocation should be.',
    fails: [['signature', 'another-revocation']],
    say: (words) => (words.revocation = { at: '2026-11-17T09:00:01.800Z', state: 'registered' }),
  },
  'key-that-is-a-revocation': {
    story: 'The statement in the log is the revocation of the key, shown as its registration.',
    fails: [['signature', 'key-not-registered']],
    say: (words) => (words.senderKey.state = 'revoked'),
  },
  'key-of-another-agent': {
    story: 'The key of another agent of the sender is shown for the agent who is said to have sent.',
    fails: [['signature', 'key-of-somebody-else']],
    say: (words) => (words.senderKey.agent = id('agt', 3)),
  },
  'key-of-another-party': {
    story: 'A key of Initech signs a message of Acme.',
    fails: [['signature', 'key-of-somebody-else']],
    say: (words) => (words.senderKey.party = { ...words.senderKey.party, handle: 'initech' }),
  },
  'key-of-a-party-with-the-same-name': {
    story: 'Somebody takes the display name “Acme” for the handle “acrne”, and signs with a key of that.',
    fails: [['signature', 'key-of-somebody-else']],
    say: (words) => (words.senderKey.party = { ...words.senderKey.party, handle: 'acrne' }),
  },
  'key-in-a-later-log': {
    story: 'The operator begins a new log, and registers there the key with which it makes up signatures of older messages.',
    fails: [['signature', 'key-after-signature']],
    forge: async (bundle) => {
      const one = signatureIn(bundle);
      one.key_proof = await laterProof(leafOfStatement(LEAF.key, one.key));
    },
  },
  'domain-of-another-key-at-the-second-acknowledgement': {
    story: 'The first acknowledgement has the right statement of the domain, and the second one, with the same key, that of another party.',
    fails: [['key', 'not-in-the-log']],
    forge: (bundle) => {
      const domain = present(acknowledgerIn(bundle, 1).domain);
      domain.statement = domain.statement.replace('globex.example', 'globex.com');
    },
  },
  'key-in-the-log-of-another-service': {
    story: 'You trust two services. The operator of one logs a key of its own as that of a recipient at the other.',
    fails: [['acknowledgement', 'unknown-log']],
    forge: async (bundle) => {
      const one = acknowledgerIn(bundle);
      one.key_proof = await foreignProof(leafOfStatement(LEAF.key, one.key));
    },
  },
  'key-not-in-the-log': {
    story: 'The statement of the key is made up for this file, with the proof of the real one.',
    fails: [['signature', 'not-in-the-log']],
    forge: (bundle) => (signatureIn(bundle).key = signatureIn(bundle).key.replace('2026-01-05', '2026-01-06')),
  },
  'key-with-another-id': {
    story: 'The signature names a key that is not the one in the file.',
    fails: [['signature', 'another-key-id']],
    say: (words) => (words.senderKey.id = id('sgk', 8)),
    forge: (bundle) => {
      const signature = signatureIn(bundle);
      signature.signature_input = signature.signature_input.replace(id('sgk', 8), id('sgk', 1));
    },
  },
  'key-for-which-anybody-can-sign': {
    story: 'The key is a point of small order. One signature, which everybody knows, fits each text for some verifiers.',
    fails: [['signature', 'weak-key']],
    say: (words) => (words.senderKey.public_key = WEAK_KEY),
    forge: (bundle) => (signatureIn(bundle).signature = UNIVERSAL_SIGNATURE),
  },
  'domain-of-another-key': {
    story: 'The file shows a statement by which a domain vouches for another key of the recipient.',
    fails: [['key', 'another-domain-key']],
    say: (words) => (words.domain.keys = [publicKeyOf('somebody')]),
  },
  'domain-that-no-longer-vouches': {
    story:
      'The domain has stopped to vouch for keys. The operator logs that with a list of keys, so that a verifier finds the one it looks for.',
    fails: [['key', 'another-domain-key']],
    say: (words) => (words.domain.state = 'gone'),
  },
  'domain-of-another-party': {
    story: 'A domain vouches for the key as one of another party.',
    fails: [['key', 'another-domain-key']],
    say: (words) => (words.domain.party = { ...words.domain.party, handle: 'initech' }),
  },
  'domain-not-in-the-log': {
    story: 'The statement of the domain is changed to a name that people know.',
    fails: [['key', 'not-in-the-log']],
    forge: (bundle) => {
      const domain = present(acknowledgerIn(bundle).domain);
      domain.statement = domain.statement.replace('globex.example', 'globex.com');
    },
  },
};

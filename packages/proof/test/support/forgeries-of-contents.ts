import { canonicalJson } from '@waybill/client';
import { type Forged, fileIn, other, present, timestampIn } from './made.ts';
import { globex, seconds, WRITTEN_JSON } from './sample-message.ts';

/* Forgeries of what the message said. */

export const CONTENTS: Record<string, Forged> = {
  'envelope-changed': {
    story: 'The operator changes the subject in a genuine proof. All signatures and proofs in the file are real, but of another text.',
    fails: [
      ['inclusion', 'not-in-the-log'],
      ['signature', 'another-content'],
      ['hand-over', 'another-message'],
      ['acknowledgement', 'another-message'],
      ['time', 'not-in-the-log'],
    ],
    forge: (bundle) => (bundle.envelope = bundle.envelope.replace('Order 4711', 'Order 4712')),
  },
  'envelope-not-canonical': {
    story: 'A space is added to the envelope. A verifier that parses JSON before it hashes would see the same values.',
    fails: [
      ['content', 'malformed'],
      ['inclusion', 'not-in-the-log'],
    ],
    forge: (bundle) => (bundle.envelope = bundle.envelope.replace('":', '": ')),
  },
  'envelope-with-a-hidden-member': {
    story: 'The operator logs an envelope with one more member, which its own pages show and other verifiers overlook.',
    fails: [['content', 'malformed']],
    say: (words) => Object.assign(words.envelope, { price: '4711 EUR' }),
  },
  'received-at-not-a-time': {
    story: 'The envelope says that the message was received at “yesterday”. A comparison with what is no time is never true.',
    fails: [['content', 'malformed']],
    say: (words) => (words.envelope.received_at = 'yesterday'),
  },
  'received-on-a-day-that-does-not-exist': {
    story: 'The message was received on the 30th of February. One program reads the 2nd of March, and another one refuses it.',
    fails: [['content', 'malformed']],
    say: (words) => (words.envelope.received_at = '2026-02-30T09:00:00.123Z'),
  },
  'subject-with-half-a-character': {
    story: 'The subject has half of a surrogate pair, which each program shows and hashes in its own way.',
    fails: [['content', 'malformed']],
    say: (words) => (words.envelope.subject = 'Order \ud83d'),
  },
  'handle-that-is-a-mail-address': {
    story: 'Somebody has the handle “globex@gmail.com”, says the operator, and delivers to it what was sent to the mail address.',
    fails: [['content', 'malformed']],
    say: (words) => {
      words.envelope.to.party = { ...globex, handle: 'globex@gmail.com' };
      words.sent.components['waybill-recipient'] = 'globex@gmail.com';
    },
  },
  'mailbox-called-like-a-handle': {
    story:
      'A message to the handle “globex” is delivered to a mailbox that is called “globex”. Who may acknowledge for a mailbox is not checked.',
    fails: [['content', 'malformed']],
    say: (words) => (words.envelope.to.party = { display_name: 'Globex Corporation', email: 'globex', kind: 'mailbox' }),
  },
  'party-of-an-unknown-kind': {
    story: 'The recipient is a “group”. A verifier that takes each unknown kind for a mailbox reads its mail address.',
    fails: [['content', 'malformed']],
    say: (words) => Object.assign(words.envelope.to, { party: { display_name: 'All', email: 'all@globex.example', kind: 'group' } }),
  },
  'mailbox-with-a-wide-space': {
    story: 'The mail address has a space that is not one of ASCII, by which a reader takes it for two.',
    fails: [['content', 'malformed']],
    say: (words) => (words.envelope.to.party = { display_name: 'Globex', email: 'orders\u2003desk@globex.example', kind: 'mailbox' }),
  },
  'actor-verified-in-words': {
    story: 'The sender is “verified”: “no”. A program that asks whether there is something takes it for yes.',
    fails: [['content', 'malformed']],
    say: (words) => Object.assign(words.envelope.from.actor, { verified: 'no' }),
  },
  'two-files-with-one-id': {
    story: 'Two files of the message have one id. Of what is said of the file with this id, each verifier picks one of them.',
    fails: [['content', 'malformed']],
    say: (words) => (present(words.envelope.files[1]).id = present(words.envelope.files[0]).id),
    forge: (bundle) => void delete bundle.files,
  },
  'json-changed': {
    story: 'The JSON in the file is another order. A reader looks at the JSON, and the verifier at the envelope.',
    fails: [['json', 'another-json']],
    forge: (bundle) => (bundle.json = present(bundle.json).replace('4711', '4712')),
  },
  'json-of-the-same-value': {
    story: 'The JSON has the same value, written in another way. What was sent is the text, not the value that one parser reads.',
    fails: [['json', 'another-json']],
    forge: (bundle) => (bundle.json = canonicalJson(JSON.parse(present(bundle.json)))),
  },
  'json-with-space-around-it': {
    story: 'A space is added behind the JSON. It changes no value, but bytes that nobody vouches for are in the file.',
    fails: [['json', 'another-json']],
    forge: (bundle) => (bundle.json = `${bundle.json} `),
  },
  'json-hashes-of-two-values': {
    story: 'The operator logs an envelope in which the hash of the bytes is of one order, and that of the canonical form of another.',
    fails: [
      ['json', 'another-json'],
      ['signature', 'another-content'],
    ],
    say: (words) => (words.envelope.json_sha256 = `sha256:${'0'.repeat(64)}`),
  },
  'json-from-before-json-bytes': {
    story: 'An older message has the hash of the canonical form alone. The file shows its JSON in a form that nobody hashed.',
    fails: [['json', 'another-json']],
    say: (words) => (words.envelope.json_bytes_sha256 = undefined),
    forge: (bundle) => (bundle.json = WRITTEN_JSON),
  },
  'file-of-another-message': {
    story: 'The hash of a large file is proven by the statement of another message, which is in the log as well.',
    fails: [['file', 'another-file']],
    say: (words) => (words.file.message = words.file.message.replace('1', '2')),
  },
  'file-with-a-hash-already': {
    story: 'A later statement gives another hash to a file whose hash the envelope has: the operator exchanges its bytes.',
    fails: [['file', 'another-file']],
    say: (words) => {
      words.file.file = present(words.envelope.files[0]).id;
      words.file.size_bytes = present(words.envelope.files[0]).size_bytes;
    },
  },
  'file-of-another-size': {
    story: 'The statement of a large file has another size than the envelope: the hash is that of another file.',
    fails: [['file', 'another-file']],
    say: (words) => (words.file.size_bytes = 1),
  },
  'file-hash-changed': {
    story: 'The hash beside the statement is another one. A verifier that does not read the statement would compare with it.',
    fails: [['file', 'another-file']],
    forge: (bundle) => (fileIn(bundle).sha256 = fileIn(bundle).sha256.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))),
  },
  'file-not-in-the-log': {
    story: 'The operator makes up the statement of a large file when it is asked for, and adds the proof of another leaf.',
    fails: [['file', 'not-in-the-log']],
    forge: (bundle) => (fileIn(bundle).proof = bundle.proof),
  },
  'file-exchanged-below-the-signature': {
    story: 'The operator exchanges a file before it logs the message. The request names uploads only, but its header has their hashes.',
    fails: [['signature', 'other-files']],
    say: (words) => (present(words.envelope.files[0]).sha256 = `sha256:${'1'.repeat(64)}`),
  },
  'large-file-exchanged-below-the-signature': {
    story: 'The operator exchanges a large file before it hashes it after delivery. The sender signed the hash of the real one.',
    fails: [['signature', 'other-files']],
    say: (words) => (words.file.sha256 = `sha256:${'2'.repeat(64)}`),
  },
  'file-dropped': {
    story: 'The operator delivers the message without its second file. The signed request names two.',
    fails: [
      ['file', 'another-file'],
      ['signature', 'other-files'],
    ],
    say: (words) => words.envelope.files.pop(),
  },
  'timestamp-of-another-checkpoint': {
    story: 'The timestamp is real, but of an older checkpoint than the one that has the message.',
    fails: [['time', 'another-checkpoint']],
    forge: (bundle) => (timestampIn(bundle).proof = bundle.proof),
  },
  'timestamp-of-no-authority': {
    story: 'A byte of the authority’s signature is changed. Its hash and time are still those of the checkpoint.',
    fails: [['time', 'wrong-signature']],
    byAuthority: true,
    forge: (bundle) => (timestampIn(bundle).token = other(timestampIn(bundle).token, 20)),
  },
  'timestamp-before-the-message': {
    story: 'The message says that it was received years after the timestamp of the checkpoint that has it: one of the two is a lie.',
    fails: [
      ['time', 'before-the-message'],
      ['time', 'received-after-proof'],
    ],
    stamp: 'own',
    say: (words) => {
      words.envelope.received_at = '2099-11-17T09:00:00.123Z';
      words.sent.createdS = seconds(words.envelope.received_at);
      words.chain = [];
    },
  },
  'received-after-the-witnesses-saw-it': {
    story: 'The operator says that an offer came after a deadline. Witnesses had cosigned the log with it an hour before.',
    fails: [
      ['hand-over', 'dated-after-proof'],
      ['acknowledgement', 'dated-after-proof'],
      ['time', 'received-after-proof'],
    ],
    say: (words) => (words.witnessedAt = '2026-11-17T08:00:02.000Z'),
  },
};

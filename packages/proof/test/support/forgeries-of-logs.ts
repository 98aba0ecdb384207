import { LEAF } from '../../src/index.ts';
import { type Forged, forge, keepLeast, rotate, spoil, timestampIn } from './made.ts';
import { ORIGIN, vkeys } from './sample.ts';

/* Forgeries of the log: its leaves, its keys and its witnesses. */

export const LOGS: Record<string, Forged> = {
  'leaf-of-another-type': {
    story: 'The envelope is in the log as a statement of the operator, not as a message: the log vouches for another thing.',
    fails: [
      ['inclusion', 'not-in-the-log'],
      ['time', 'not-in-the-log'],
    ],
    stamp: 'own',
    say: (words) => (words.messageLeafType = LEAF.audit),
  },
  'index-of-another-leaf': {
    story: 'The proof names the place of another leaf, so that the message seems to be logged later.',
    fails: [['inclusion', 'not-in-the-log']],
    forge: (bundle) => (bundle.proof = bundle.proof.replace('index 20', 'index 21')),
  },
  'size-changed': {
    story: 'The checkpoint says that the log has one more leaf. Its signatures are those of the real one.',
    fails: [['inclusion', 'wrong-signature']],
    forge: (bundle) => (bundle.proof = bundle.proof.replace('\n50\n', '\n51\n')),
  },
  'proof-too-short': {
    story: 'A hash is missing from the path, so that an inner node passes for a leaf.',
    fails: [['inclusion', 'not-in-the-log']],
    forge: (bundle) => (bundle.proof = bundle.proof.replace(/(index 20\n)[^\n]+\n/, '$1')),
  },
  'proof-with-extra-data': {
    story: 'The proof has a line of extra data, which nothing vouches for and a reader may believe.',
    fails: [['inclusion', 'malformed']],
    forge: (bundle) => (bundle.proof = bundle.proof.replace('index', 'extra YQ==\nindex')),
  },
  'log-signature-changed': {
    story: 'The checkpoint has the name and the key id of the log, with bytes that are no signature.',
    fails: [['inclusion', 'wrong-signature']],
    forge: (bundle) => (bundle.proof = spoil(bundle.proof, 'waybill')),
  },
  'log-signs-twice': {
    story: 'A second line of the log’s key follows, which is wrong. One verifier takes the first and one the last.',
    fails: [['inclusion', 'signed-twice']],
    forge: (bundle) => (bundle.proof += spoil(`${bundle.proof.split('\n').find((line) => line.startsWith('— waybill'))}\n`, 'waybill')),
  },
  'log-that-you-do-not-trust': {
    trust: 'vkey',
    story: 'The checkpoint is signed by another log than the one whose key you have.',
    fails: [['inclusion', 'unknown-log']],
    stamp: 'none',
    forge: (bundle) => {
      keepLeast(bundle);
      bundle.proof = bundle.proof.replaceAll(/^— waybill.*$/gm, '— other.example.com/log AAAAAAAA');
    },
  },
  'log-made-for-one-message': {
    trust: 'vkey',
    story: 'Anybody can make a log of one leaf with the name of the real one, and a proof that is consistent with the key in the file.',
    fails: [['inclusion', 'unknown-log']],
    forge,
  },
  'log-with-another-name': {
    story: 'The file names the former log of the service, though the proof is of the present one: a reader sees another place.',
    fails: [['log', 'another-log']],
    forge: (bundle) => {
      const [former] = bundle.other_logs ?? [];
      if (former) bundle.log = former;
    },
  },
  'witness-signature-changed': {
    story: 'The cosignature of a witness that you trust is replaced by other bytes.',
    fails: [['inclusion', 'wrong-signature']],
    forge: (bundle) => (bundle.proof = spoil(bundle.proof, 'witness')),
  },
  'witness-missing': {
    story: 'The operator shows a history that one witness has not seen. The policy asks for both.',
    fails: [['witnesses', 'too-few-witnesses']],
    forge: (bundle) => (bundle.proof = bundle.proof.replace(/— witness.example.net.*\n/, '')),
  },
  'witness-signs-twice': {
    story: 'One witness is there twice in place of two, so that a count of lines would reach the quorum.',
    fails: [['inclusion', 'signed-twice']],
    forge: (bundle) => {
      const [line = ''] = /— witness.example.net.*\n/.exec(bundle.proof) ?? [];
      bundle.proof = bundle.proof.replace(/— witness.example.org.*\n/, line);
    },
  },
  'statement-without-witnesses': {
    story: 'The message is in a checkpoint that witnesses saw, and the statement of a file in one that they did not: a second history.',
    fails: [['file', 'too-few-witnesses']],
    forge: (bundle) => {
      for (const one of bundle.files ?? []) one.proof = one.proof.replaceAll(/— witness.*\n/g, '');
    },
  },
  'timestamp-of-a-log-of-its-own': {
    story: 'The timestamp is of a checkpoint that no known log signed. Anybody can have their own tree stamped.',
    fails: [['time', 'unknown-log']],
    forge: (bundle) => {
      const stamp = timestampIn(bundle);
      stamp.proof = stamp.proof.replaceAll(/— witness.*\n/g, '').replaceAll(ORIGIN, 'other.example.com/log');
    },
  },
  'rotation-without-a-note': {
    story: 'A thief of the service’s name signs with a new key and says that the log has rotated. The old key has not named the new one.',
    fails: [
      ['inclusion', 'unknown-log'],
      ['file', 'unknown-log'],
      ['hand-over', 'unknown-log'],
      ['acknowledgement', 'unknown-log'],
    ],
    say: (words) => {
      rotate(words);
      words.successions = [];
    },
  },
  'rotation-signed-by-the-new-key': {
    trust: 'vkey',
    story: 'The new key itself signs the note by which the old one is said to name it.',
    fails: [
      ['log', 'broken-succession'],
      ['inclusion', 'unknown-log'],
    ],
    say: (words) => {
      rotate(words);
      words.successions = [{ old: vkeys.first, next: vkeys.second, by: 'second', log: ORIGIN }];
    },
    forge: (bundle) => keepSuccession(bundle),
  },
  'rotation-of-another-log': {
    trust: 'vkey',
    story: 'The key signed a real succession, but of another log that the operator has. It must not vouch for a key of this one.',
    fails: [
      ['log', 'broken-succession'],
      ['inclusion', 'unknown-log'],
    ],
    say: (words) => {
      rotate(words);
      words.successions = [{ old: vkeys.first, next: vkeys.second, by: 'first', log: 'waybill.example.com/other' }];
    },
    forge: (bundle) => keepSuccession(bundle),
  },
  'rotation-to-two-keys': {
    trust: 'vkey',
    story: 'The old key names two successors: one signs the history for one reader, and one for the other.',
    fails: [
      ['log', 'broken-succession'],
      ['inclusion', 'unknown-log'],
    ],
    say: (words) => {
      rotate(words);
      words.successions.push({ old: vkeys.first, next: vkeys.third, by: 'first', log: ORIGIN });
    },
    forge: (bundle) => keepSuccession(bundle),
  },
  'rotation-in-a-circle': {
    trust: 'vkey',
    story:
      'Two keys name each other. A verifier that follows them without end hangs; one that follows each once finds no key of the signer.',
    fails: [['inclusion', 'unknown-log']],
    say: (words) => {
      words.logKeys.newest = ['second'];
      words.successions = [
        { old: vkeys.first, next: vkeys.third, by: 'first', log: ORIGIN },
        { old: vkeys.third, next: vkeys.first, by: 'third', log: ORIGIN },
      ];
    },
    forge: (bundle) => keepSuccession(bundle),
  },
};

/** The notes of successions, and the place of the message. */
function keepSuccession(bundle: Parameters<typeof keepLeast>[0]): void {
  const { successions } = bundle;
  keepLeast(bundle);
  if (successions) bundle.successions = successions;
}

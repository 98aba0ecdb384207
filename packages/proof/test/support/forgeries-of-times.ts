import { type Forged, other, timestampIn } from './made.ts';

/* Forgeries of timestamps, of the lists of revoked certificates beside them, and of their renewals. */

const listIn = (bundle: Parameters<typeof timestampIn>[0]): string => timestampIn(bundle).crls?.[0] ?? '';
const renewalIn = (bundle: Parameters<typeof timestampIn>[0]) => timestampIn(bundle).renewals?.[0] ?? never();

function never(): never {
  throw new Error('the sample has a renewal');
}

export const TIMES: Record<string, Forged> = {
  'timestamp-of-a-stolen-key': {
    story: 'The key of the authority was stolen, which has revoked its certificate: the thief can write any time into a timestamp.',
    fails: [['time', 'revoked-authority']],
    stamp: 'revoked',
    byAuthority: true,
  },
  'list-of-revoked-certificates-changed': {
    story: 'The signature of the list is changed, as in a list from which somebody has taken the certificate of the authority.',
    fails: [['time', 'wrong-signature']],
    stamp: 'listed',
    byAuthority: true,
    forge: (bundle) => (timestampIn(bundle).crls = [other(listIn(bundle), 12)]),
  },
  'list-of-revoked-certificates-cut-off': {
    story: 'The list ends early. A reader that takes what it finds sees no certificate in it.',
    fails: [['time', 'malformed']],
    stamp: 'listed',
    byAuthority: true,
    forge: (bundle) => (timestampIn(bundle).crls = [listIn(bundle).slice(0, 80)]),
  },
  'renewal-after-the-certificate-had-ended': {
    story: 'The timestamp was renewed when its certificate had ended. By then, others could have signed a timestamp with its key.',
    fails: [['time', 'renewal-too-late']],
    stamp: 'too-late',
    byAuthority: true,
    say: (words) => (words.timestamp = {}),
  },
  'renewal-of-another-timestamp': {
    story: 'The log had renewed another timestamp. Its statement is shown beside this one, which nobody has seen before.',
    fails: [['time', 'another-token']],
    stamp: 'renewed',
    say: (words) => (words.timestamp = { token: `sha256:${'0'.repeat(64)}` }),
  },
  'renewal-of-another-checkpoint': {
    story: 'The statement that was renewed names the checkpoint of another tree.',
    fails: [['time', 'another-token']],
    stamp: 'renewed',
    say: (words) => (words.timestamp = { checkpoint: `sha256:${'0'.repeat(64)}` }),
  },
  'renewal-with-another-list': {
    story:
      'A list of revoked certificates is added that was not there when the timestamp was renewed: it may be signed with a key that has leaked since.',
    fails: [['time', 'another-token']],
    stamp: 'renewed',
    say: (words) => (words.timestamp = { crls: [`sha256:${'0'.repeat(64)}`] }),
  },
  'renewal-that-is-not-in-the-log': {
    story: 'The statement says what it should, and the log does not have it: its proof is of another leaf.',
    fails: [['time', 'not-in-the-log']],
    stamp: 'renewed',
    say: (words) => (words.timestamp = {}),
    forge: (bundle) => (renewalIn(bundle).proof = renewalIn(bundle).proof.replace('index 45', 'index 44')),
  },
  'renewal-by-an-older-timestamp': {
    story: 'The timestamp that should renew is that of an older checkpoint, which does not have the statement.',
    fails: [['time', 'another-checkpoint']],
    stamp: 'renewed',
    say: (words) => (words.timestamp = {}),
    forge: (bundle) => (renewalIn(bundle).token = timestampIn(bundle).token),
  },
};

import { LEAF, leafOfStatement } from '../../src/index.ts';
import { acknowledgementIn, type Forged, keepOneLog, present } from './made.ts';
import { foreignProof, proofInOtherHistory } from './sample.ts';
import { acknowledgement, expire, globex, hashText, id, linkOf, requestOf } from './sample-message.ts';

/* Forgeries of what happened to the message: hand-overs, acknowledgements and non-delivery. */

const chain = (reason: Forged['fails'][number][1]): Forged['fails'] => [['chain', reason]];

export const CHAINS: Record<string, Forged> = {
  'acknowledgement-changed': {
    story: '“accepted” is changed to “rejected” in the statement. The proof is that of the real one.',
    fails: [['acknowledgement', 'not-in-the-log']],
    forge: (bundle) => {
      const one = acknowledgementIn(bundle);
      delete one.signature;
      one.statement = one.statement.replace('accepted', 'rejected');
    },
  },
  'acknowledgement-of-another-message': {
    story: 'The acknowledgement of another message, which is in the log, is shown for this one.',
    fails: [['acknowledgement', 'another-message']],
    say: (words) => (linkOf(words, 'accepted').message = id('msg', 2)),
  },
  'acknowledgement-of-another-content': {
    story: 'The statement names this message, and the hash of another content.',
    fails: [['acknowledgement', 'another-message']],
    say: (words) => {
      linkOf(words, 'accepted').content_hash = hashText('another contract');
    },
  },
  'acknowledgement-by-somebody-else': {
    story: 'Initech acknowledges a message to Globex.',
    fails: [['acknowledgement', 'not-the-recipient']],
    say: (words) => (linkOf(words, 'accepted').party = { ...globex, handle: 'initech' }),
  },
  'acknowledgement-with-a-status-of-its-own': {
    story: 'The status is “frobnicated”, which a reader may take for good.',
    fails: [['acknowledgement', 'unknown-status']],
    say: (words) => {
      linkOf(words, 'processed').status = 'frobnicated';
    },
  },
  'acknowledgement-with-a-status-of-the-language': {
    story: 'The status is “constructor”, which is a name that each object of JavaScript has.',
    fails: [['acknowledgement', 'unknown-status']],
    say: (words) => {
      linkOf(words, 'processed').status = 'constructor';
    },
  },
  'processed-and-rejected': {
    story: 'The message is processed, and then rejected. A reader sees the status that suits the operator.',
    fails: chain('after-the-end'),
    say: (words) => words.chain.push(acknowledgement('rejected', 'Too late', '2026-11-17T09:00:01.800Z', 33)),
  },
  'accepted-after-rejected': {
    story: 'The recipient has rejected the order. The operator adds an older “accepted” of the same recipient behind it.',
    fails: chain('after-the-end'),
    say: (words) => {
      words.chain = [
        acknowledgement('rejected', null, '2026-11-17T09:00:01.500Z', 28),
        acknowledgement('accepted', null, '2026-11-17T09:00:01.700Z', 30),
      ];
    },
  },
  'accepted-twice': {
    story: 'The operator repeats an “accepted” with another reason, so that there are two texts to choose from.',
    fails: chain('status-order'),
    say: (words) => {
      words.chain = [
        acknowledgement('accepted', 'In stock', '2026-11-17T09:00:01.500Z', 28),
        acknowledgement('accepted', 'In part', '2026-11-17T09:00:01.700Z', 30),
      ];
    },
  },
  'processed-and-rejected-without-numbers': {
    story: 'The same with acknowledgements from before they were numbered, which have no chain to break.',
    fails: chain('after-the-end'),
    say: (words) => {
      words.chain = [
        acknowledgement('processed', null, '2026-11-17T09:00:01.500Z', 28),
        acknowledgement('rejected', null, '2026-11-17T09:00:01.700Z', 30),
      ].map(({ signed: _, ...link }) => ({ ...link, number: null }));
    },
  },
  'acknowledged-in-1999': {
    story: 'The statement says that the recipient accepted decades before the message was received.',
    fails: chain('chain-time'),
    say: (words) => {
      const link = linkOf(words, 'processed');
      link.at = '1999-11-17T09:00:00.000Z';
      words.recipientKey.at = '1998-01-01T00:00:00.000Z';
      requestOf(words, 'processed').createdS = Date.parse(link.at) / 1_000;
    },
  },
  'handed-over-before-it-came': {
    story: 'The operator backdates a hand-over to before a deadline, an hour before it received the message.',
    fails: chain('chain-time'),
    say: (words) => {
      linkOf(words, 'hand-over').at = '2026-11-17T08:00:00.500Z';
    },
  },
  'rejection-left-out': {
    story: 'The operator leaves out the acknowledgement in the middle. Its number is missing.',
    fails: chain('chain-gap'),
    forge: (bundle) => bundle.acknowledgements?.shift(),
  },
  'hand-over-left-out': {
    story: 'The operator leaves out the hand-over, to say that the recipient never got the message.',
    fails: chain('chain-gap'),
    forge: (bundle) => void delete bundle.hand_overs,
  },
  'hand-over-shown-twice': {
    story: 'One hand-over is in the file twice, to seem to be two attempts.',
    fails: chain('chain-repeat'),
    forge: (bundle) => bundle.hand_overs?.push(present(bundle.hand_overs[0])),
  },
  'two-statements-of-one-number': {
    story: 'The log has two statements with the number 2: one is shown to the sender, and the other to the recipient.',
    fails: chain('chain-repeat'),
    say: (words) => {
      linkOf(words, 'processed').number = 2;
      requestOf(words, 'processed').body = requestOf(words, 'processed').body.replace('{number}', '2');
    },
  },
  'statement-exchanged': {
    story: 'The operator logs another first statement later. The second names the hash of the one that it followed.',
    fails: chain('chain-broken'),
    say: (words) => {
      linkOf(words, 'accepted').previous = hashText('the statement that was there');
    },
  },
  'first-statement-with-a-predecessor': {
    story: 'The first statement names one before it, which is not in the file: the chain was cut and numbered again.',
    fails: chain('chain-broken'),
    say: (words) => {
      linkOf(words, 'hand-over').previous = hashText('the statement that was there');
    },
  },
  'statements-out-of-order': {
    story: 'By its number, the hand-over came first. In the log it is behind the acknowledgements: it was made up later.',
    fails: chain('chain-order'),
    say: (words) => (linkOf(words, 'hand-over').index = 42),
  },
  'hand-over-of-another-message': {
    story: 'The hand-over of another message is shown for this one.',
    fails: [['hand-over', 'another-message']],
    say: (words) => (linkOf(words, 'hand-over').message = id('msg', 2)),
  },
  'hand-over-to-somebody-else': {
    story: 'The message was handed over to Initech.',
    fails: [['hand-over', 'not-the-recipient']],
    say: (words) => (linkOf(words, 'hand-over').party = { ...globex, handle: 'initech' }),
  },
  'hand-over-by-pigeon': {
    story: 'The way of the hand-over is one that the service does not have: nobody knows what it means.',
    fails: [['hand-over', 'malformed']],
    say: (words) => {
      linkOf(words, 'hand-over').way = 'pigeon';
    },
  },
  'acknowledgement-shown-as-a-hand-over': {
    story: 'The statement of the acknowledgement is shown as a hand-over. Each kind of leaf has a type of its own.',
    fails: [['hand-over', 'malformed']],
    forge: (bundle) => (present(bundle.hand_overs?.[0]).statement = acknowledgementIn(bundle).statement),
  },
  'hand-over-without-a-number': {
    story: 'The hand-over has no number, so that nothing tells that another one is missing.',
    fails: [['hand-over', 'malformed']],
    say: (words) => {
      linkOf(words, 'hand-over').number = null;
    },
  },
  'hand-over-in-the-log-of-another-service': {
    story: 'You trust two services. The operator of one logs that the other has handed over the message.',
    fails: [['hand-over', 'unknown-log']],
    forge: async (bundle) => {
      const one = present(bundle.hand_overs?.[0]);
      one.proof = await foreignProof(leafOfStatement(LEAF.handOver, one.statement));
    },
  },
  'hand-over-logged-before-the-message': {
    story: 'The hand-over is in the log before the message that was handed over.',
    fails: chain('chain-order'),
    say: (words) => (linkOf(words, 'hand-over').index = 18),
  },
  'hand-over-dated-in-the-future': {
    story: 'The operator says today that it will have handed over the message tomorrow.',
    fails: [['hand-over', 'dated-after-proof']],
    say: (words) => {
      linkOf(words, 'hand-over').at = '2026-11-18T09:00:00.500Z';
    },
  },
  'acknowledgement-in-another-history': {
    trust: 'vkey',
    story: 'The log has signed two trees of one size. The message is in one of them, and its “accepted” in the other.',
    fails: [['acknowledgement', 'two-histories']],
    stamp: 'none',
    forge: async (bundle) => {
      keepOneLog(bundle);
      const one = acknowledgementIn(bundle);
      one.proof = await proofInOtherHistory(leafOfStatement(LEAF.acknowledgement, one.statement), 28);
    },
  },
  'expired-after-the-witnesses-saw-it': {
    story:
      'The operator logs at once that nobody took the message, with a time after the limit. Witnesses saw the statement before that time.',
    fails: [['expiry', 'dated-after-proof']],
    say: (words) => {
      expire(words);
      words.witnessedAt = '2026-11-17T09:00:02.000Z';
    },
  },
  'expired-before-its-time': {
    story: 'The operator says that nobody took the message, before the time that the sender gave has passed.',
    fails: [['expiry', 'expired-early']],
    say: (words) => {
      expire(words);
      linkOf(words, 'expiry').at = '2026-11-17T09:00:30.000Z';
    },
  },
  'expired-by-another-limit': {
    story: 'The statement of non-delivery has an earlier limit than the message.',
    fails: [['expiry', 'another-content']],
    say: (words) => {
      expire(words);
      linkOf(words, 'expiry').expires_at = '2026-11-17T09:00:30.123Z';
    },
  },
  'expired-after-it-was-taken': {
    story: 'The operator says that nobody took a message that a consumer got in time.',
    fails: chain('expired-after-delivery'),
    say: (words) => {
      expire(words);
      words.chain.unshift({ ...present(words.chain[0]), kind: 'hand-over', way: 'consumer', at: '2026-11-17T09:00:30.000Z', index: 30 });
    },
  },
};

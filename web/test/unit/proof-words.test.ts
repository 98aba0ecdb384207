import { formatBundle, type Report, verifyBundle } from '@waybill/proof';
import { describe, expect, test } from 'vitest';
import { bundleOf, policy } from '../../../packages/proof/test/support/sample.ts';
import {
  asBefore,
  expire,
  linkOf,
  publicKeyOf,
  requestOf,
  said,
  signAsBefore,
  type Words,
} from '../../../packages/proof/test/support/sample-message.ts';
import { chainInWords, chainOf } from '../../src/verify/chain.ts';
import { type Phrase, plain } from '../../src/verify/phrase.ts';
import { type Basis, partyName, tell } from '../../src/verify/tell.ts';

const READER: Basis = { comparedFiles: 0, isJsonCompared: false };
const SCAN = 'scan “A”.tiff';
const KNOWN = { senderKeys: [publicKeyOf('sender')], recipientKeys: [publicKeyOf('recipient')] };

async function reportOf(
  change: (words: Words) => unknown = () => {},
  options: Parameters<typeof verifyBundle>[1] = KNOWN,
): Promise<Report> {
  const words = said();
  change(words);
  const report = await verifyBundle(formatBundle(await bundleOf(words)), { policy, ...options });
  expect(report.checks.filter(({ state }) => state === 'failed')).toEqual([]);
  return report;
}

function wordsOf(report: Report, basis = READER) {
  const text = (phrase: Phrase) => plain(phrase, 200).replaceAll(/[\u2068\u2069]/g, '');
  const { headline, proven, open, standings } = tell(report, basis);
  return {
    headline: text(headline),
    proven: proven.map((claim) => `${text(claim.text)} (${text(claim.by)})`).join('\n'),
    open: open.map(text).join('\n'),
    standings: standings.map((one) => `${one.holds}: ${text(one.text)}`),
  };
}

const toMailbox = (words: Words) => {
  words.envelope.to = { party: { display_name: 'Orders', email: 'orders@initech.example', kind: 'mailbox' }, segment: null };
  words.sent.body = words.sent.body.replace('"globex/orders"', '"orders@initech.example"');
  words.sent.components['waybill-recipient'] = 'orders@initech.example';
};

describe('the sentences', () => {
  test('say that who acknowledged a message to a mailbox is its recipient by the operator’s word', async () => {
    const { headline, proven, open, standings } = wordsOf(await reportOf(toMailbox));
    expect(headline).toBe(
      'Acme (acme) sent this message to Orders (orders@initech.example). Globex Corporation (globex) processed it: by the operator’s word, that is the recipient.',
    );
    expect(proven).toContain('was processed. (The key sgk_00000000000000000000000002 of Globex Corporation (globex))');
    expect(
      open.match(/That Globex Corporation \(globex\) is the recipient, Orders \(orders@initech.example\): that is the operator’s word/g),
    ).toHaveLength(1);
    expect(standings[1]).toBe(
      `partly: By the operator’s word, this is Globex Corporation (globex), who can’t deny that it has processed exactly this except ${SCAN}: it is signed by a key that you know as its own.`,
    );
  });

  test('leave open the bytes of files that were hashed after delivery', async () => {
    const { proven, open, standings } = wordsOf(await reportOf());
    expect(proven).toContain(`Its words, its JSON and its files except ${SCAN} have not changed since.`);
    expect(open).toContain(`The bytes of ${SCAN}: hashed after delivery`);
    expect(open).toContain('The sender’s signature does.');
    expect(standings.map((one) => one.includes(SCAN))).toEqual([false, true, false]);
    expect(wordsOf(await reportOf(signAsBefore)).open).not.toContain('The sender’s signature does.');
  });

  test('leave open what no signature of a sender covers, and that a request was delivered once', async () => {
    const { open } = wordsOf(await reportOf());
    expect(open).toContain('A signature of the sender leaves open: the names and types of files and the thread.');
    expect(open).toContain('That it was sent once: ');
    expect(wordsOf(await reportOf(asBefore)).open).toContain(
      'A signature of the sender leaves open: the service, a nonce, the recipient, the files, the names and types of files and the thread.',
    );
  });

  test('do not count witnesses that the service itself names', async () => {
    const report = await reportOf();
    expect(wordsOf(report).proven).toContain('was seen by north');
    const { proven, open } = wordsOf(report, { ...READER, publishedBy: 'waybill.example.com' });
    expect(proven).not.toContain('north');
    expect(open).toContain(
      'That the witnesses north and south, who saw the log, are independent of the operator: waybill.example.com itself named their keys.',
    );
    expect(open).toContain('is the operator’s word.');
    expect(open).not.toContain('before others saw the entry');
  });

  test('say that JSON was compared only if somebody did', async () => {
    const same = 'What was sent includes the JSON. (Your own comparison of hashes)';
    expect(wordsOf(await reportOf()).proven).not.toContain('What was sent includes');
    const compared = { ...READER, isJsonCompared: true };
    expect(wordsOf(await reportOf(undefined, { ...KNOWN, json: said().json }), compared).proven).toContain(same);
    const otherBytes = JSON.stringify(JSON.parse(said().json));
    expect(wordsOf(await reportOf(undefined, { ...KNOWN, json: otherBytes }), compared).proven).not.toContain('What was sent includes');
  });

  test('say what the recipient has said, and of whose signature', async () => {
    expect(wordsOf(await reportOf(expire, { senderKeys: KNOWN.senderKeys })).standings[1]).toBe('no: Has acknowledged nothing.');
    const unsigned = (words: Words) => {
      for (const link of words.chain) delete link.signed;
    };
    expect(wordsOf(await reportOf(unsigned, {})).standings[1]).toBe(
      `no: Signed nothing. That it has processed exactly this except ${SCAN} is the operator’s word alone.`,
    );
    const reject = (words: Words) => {
      requestOf(words, 'processed').body = requestOf(words, 'processed').body.replace('processed', 'rejected');
      linkOf(words, 'processed').status = 'rejected';
    };
    expect(wordsOf(await reportOf(reject)).standings[1]).toContain('yes: Can’t deny that it has rejected exactly this');
    // The recipient's agent signed with another key first.
    const report = await reportOf();
    const [sender, recipient] = report.signers;
    if (!sender || !recipient) throw new Error('the sample has two signers');
    report.signers = [sender, { ...recipient, keyId: 'sgk_other', isKnown: false }, recipient];
    expect(wordsOf(report).standings[1]).toContain('yes: Can’t deny');
  });

  test('keep the end of an address, which decides whose it is', () => {
    const id = `globex.example.${'a'.repeat(60)}@evil.example`;
    const party = { kind: 'mailbox' as const, id, displayName: 'G'.repeat(100) };
    expect(plain(partyName(party), 32)).toMatch(/^\u2068G{32}…\u2069 \(\u2068globex\.exa….*@evil\.example\u2069\)$/);
    expect(plain(partyName({ ...party, displayName: id }), 32)).toMatch(/@evil\.example\u2069$/);
  });
});

describe('the picture', () => {
  test('has a step for proven only if the signature of a party covers it', async () => {
    const states = (report: Report) => chainOf(report, 10, false).steps.map(({ state, detail }) => `${state} ${plain(detail, 40)}`);
    const signed = 'proven Signed by \u2068Globex Corporation\u2069 (\u2068globex\u2069)';
    expect(states(await reportOf())).toEqual(['open Operator’s word', signed, signed]);
    expect(states(await reportOf(signAsBefore))).toEqual(Array(3).fill('open Operator’s word'));
    expect(states(await reportOf(expire, {}))).toEqual(['open Operator’s word']);
    expect(chainInWords(chainOf(await reportOf(), 10, false))).toContain(
      'Step 1, Handed over, Operator’s word, 2026-11-17 09:00 (not proven)',
    );
  });

  test('has no check mark at witnesses that the service itself names', async () => {
    const witnesses = async (areKeysPublished: boolean) => chainOf(await reportOf(), 10, areKeysPublished).anchors[3]?.state;
    expect([await witnesses(false), await witnesses(true)]).toEqual(['proven', 'open']);
  });
});

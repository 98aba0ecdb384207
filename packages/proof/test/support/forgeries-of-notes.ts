import type { Bundle } from '../../src/index.ts';
import type { Forged } from './made.ts';
import { ORIGIN, signedAgain, witnessesAtS } from './sample.ts';

/* Proofs and signed notes that are not in the one form of C2SP: two readers could read two things from them. */

const inclusion = (reason: Forged['fails'][number][1]): Forged['fails'] => [['inclusion', reason]];
const edit = (change: (proof: string) => string) => (bundle: Bundle) => {
  bundle.proof = change(bundle.proof);
};
/** Log and witnesses sign the changed text, so that its form alone is wrong. */
const editBody = (change: (body: string) => string) => async (bundle: Bundle) => {
  bundle.proof = await signedAgain(bundle.proof, change);
};
const ofLog = new RegExp(`— ${ORIGIN} (.*)`);
const bytesOf = (line: string) => Buffer.from(ofLog.exec(line)?.[1] ?? '', 'base64');
const editSignature = (change: (bytes: Buffer) => Buffer) =>
  edit((proof) => proof.replace(ofLog, `— ${ORIGIN} ${change(bytesOf(proof)).toString('base64')}`));

export const NOTES: Record<string, Forged> = {
  'checkpoint-with-carriage-returns': {
    story: 'The lines of the checkpoint end with carriage returns, which some readers drop before they compare.',
    fails: inclusion('malformed'),
    forge: edit((proof) => proof.replace(/\n\n[\s\S]*$/, (note) => `\n\n${note.slice(2).replaceAll('\n', '\r\n')}`)),
  },
  'checkpoint-without-its-last-newline': {
    story: 'The last signature line does not end: something may have been cut off.',
    fails: inclusion('malformed'),
    forge: edit((proof) => proof.slice(0, -1)),
  },
  'checkpoint-with-a-leading-zero': {
    story: 'The log signed the size 050, which some languages read as 40.',
    fails: inclusion('malformed'),
    forge: editBody((body) => body.replace('\n50\n', '\n050\n')),
  },
  'checkpoint-with-a-size-beyond-the-exact-numbers': {
    story: 'The log signed a size of 2^53, from which on JavaScript takes two numbers for one.',
    fails: inclusion('malformed'),
    forge: editBody((body) => body.replace('\n50\n', '\n9007199254740992\n')),
  },
  'checkpoint-with-a-root-in-another-form': {
    story: 'The log signed a root with set bits under the padding of base64: another text for the same bytes.',
    fails: inclusion('malformed'),
    forge: editBody((body) => body.replace(/(.)=\n$/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=\n`)),
  },
  'checkpoint-with-a-short-root': {
    story: 'The log signed a root of 31 bytes.',
    fails: inclusion('malformed'),
    forge: editBody((body) => body.replace(/[^\n]+\n$/, `${Buffer.alloc(31, 1).toString('base64')}\n`)),
  },
  'checkpoint-with-an-empty-extension': {
    story: 'The log signed a checkpoint with an empty line, behind which some readers look for signatures.',
    fails: inclusion('malformed'),
    forge: editBody((body) => `${body}\nmore\n`),
  },
  'checkpoint-of-another-origin': {
    story: 'The key of the log signed a checkpoint under the name of another one.',
    fails: inclusion('unknown-log'),
    forge: editBody((body) => body.replace(ORIGIN, `${ORIGIN}s`)),
  },
  'index-with-a-leading-zero': {
    story: 'The index of the leaf is written 020.',
    fails: inclusion('malformed'),
    forge: edit((proof) => proof.replace('index 20', 'index 020')),
  },
  'hash-of-a-proof-in-another-form': {
    story: 'A hash of the path has set bits under its padding, so that one proof has two forms.',
    fails: inclusion('malformed'),
    forge: edit((proof) =>
      proof.replace(/(index 20\n.{42})(.)=/, (_, rest: string, last: string) => `${rest}${String.fromCharCode(last.charCodeAt(0) + 1)}=`),
    ),
  },
  'signature-without-padding': {
    story: 'The padding of a signature is left out, which lenient readers of base64 allow.',
    fails: inclusion('malformed'),
    forge: edit((proof) => proof.replace(ofLog, (line) => line.replace(/=+$/, ''))),
  },
  'signature-of-a-key-with-another-id': {
    story: 'The signature line names the log and the id of another key. It is one of an unknown key, and says nothing.',
    fails: inclusion('unknown-log'),
    forge: editSignature((bytes) => Buffer.concat([Buffer.from([(bytes[0] ?? 0) ^ 1]), bytes.subarray(1)])),
  },
  'signature-with-bytes-behind-it': {
    story: 'A byte is added behind the 64 of the signature.',
    fails: inclusion('wrong-signature'),
    forge: editSignature((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  },
  'signature-that-is-a-key-id': {
    story: 'The signature line has a key id and nothing else.',
    fails: inclusion('malformed'),
    forge: editSignature((bytes) => bytes.subarray(0, 4)),
  },
  'signer-with-a-plus-in-its-name': {
    story: 'The line of an unknown key has a name with a plus sign, with which keys are parted from names.',
    fails: inclusion('malformed'),
    forge: edit((proof) => `${proof}— other.example.com/a+b AAAAAAAA\n`),
  },
  'signer-with-a-space-in-its-name': {
    story: 'The line of an unknown key has a name with a wide space, so that readers split it at two places.',
    fails: inclusion('malformed'),
    forge: edit((proof) => `${proof}— other.example.com/a\u2003b AAAAAAAA\n`),
  },
  'cosignature-with-another-time': {
    story: 'The operator moves the time in the cosignature of a witness by an hour. The witness signed the time, too.',
    fails: inclusion('wrong-signature'),
    forge: edit((proof) =>
      proof.replace(/(— witness\.example\.net\/north )(.*)/, (_, name: string, text: string) => {
        const bytes = Buffer.from(text, 'base64');
        bytes.writeBigUInt64BE(bytes.readBigUInt64BE(4) - 3_600n, 4);
        return `${name}${bytes.toString('base64')}`;
      }),
    ),
  },
  'cosignature-without-a-time': {
    story: 'The cosignature has the 64 bytes of a signature, and no time.',
    fails: inclusion('wrong-signature'),
    forge: edit((proof) =>
      proof.replace(/(— witness\.example\.net\/north )(.*)/, (_, name: string, text: string) => {
        const bytes = Buffer.from(text, 'base64');
        return `${name}${Buffer.concat([bytes.subarray(0, 4), bytes.subarray(12)]).toString('base64')}`;
      }),
    ),
  },
  'cosignature-after-the-year-9999': {
    story:
      'The witnesses signed a time of which the calendars of programs have no day. A verifier that wants to show it ends without a verdict.',
    fails: inclusion('wrong-signature'),
    forge: async (bundle) => {
      bundle.proof = await signedAgain(bundle.proof, (body) => body, witnessesAtS(Number.MAX_SAFE_INTEGER));
    },
  },
  'index-in-other-digits': {
    story: 'The index of the leaf is written with a digit of another script, which some languages read as a number.',
    fails: inclusion('malformed'),
    forge: edit((proof) => proof.replace('index 20', 'index 2٠')),
  },
  'checkpoint-longer-than-it-may-be': {
    story: 'The log signed a checkpoint of more than 64 KiB. Each verifier must stop at the same length.',
    fails: inclusion('malformed'),
    forge: editBody((body) => `${body}${'a'.repeat(65_536)}\n`),
  },
  'checkpoint-longer-than-its-characters': {
    story: 'The same with fewer characters than bytes: some languages count the one, and some the other.',
    fails: inclusion('malformed'),
    forge: editBody((body) => `${body}${'€'.repeat(22_000)}\n`),
  },
  'too-many-signatures': {
    story: 'The checkpoint has 65 signature lines: a verifier must not work for as long as somebody adds lines.',
    fails: inclusion('malformed'),
    forge: edit((proof) => proof + '— other.example.com/log AAAAAAAA\n'.repeat(62)),
  },
};

import { createReadStream, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { checkReceipt, newSha256 } from '@waybill/client';
import {
  BUNDLE_BYTES_MAX,
  type Check,
  decodeText,
  POLICY_CHARACTERS_MAX,
  ProofError,
  type Report,
  type TrustOptions,
  type Verdict,
  verdictOf,
  verifyBundle,
  verifyContentHash,
} from '@waybill/proof';
import type { Call, Option } from '../command.ts';
import { jsonTextOf } from '../input.ts';
import { type Output, visible } from '../output.ts';
import { CheckFailed, NoTrustedKey, UsageError } from '../problems.ts';
import { KnownKeys } from './known-keys.ts';

const CERTIFICATE_BYTES_MAX = 65_536;

/** Options for a proof in a file, beside those for JSON and files. */
export const FILE_OPTIONS: Record<string, Option> = {
  policy: { type: 'string', value: '<path>', help: 'The logs and witnesses that you trust (c2sp.org/tlog-policy)' },
  vkey: { type: 'string', value: '<key>', multiple: true, help: 'The key of a log that you trust' },
  'tsa-cert': { type: 'string', value: '<path>', multiple: true, help: 'A certificate in PEM that you trust for timestamps' },
  'sender-key': {
    type: 'string',
    value: '<key>',
    multiple: true,
    help: 'A key of the sender (base64, or sgk_…): the message must be signed with it',
  },
  'recipient-key': { type: 'string', value: '<key>', multiple: true, help: 'The same for acknowledgements of the recipient' },
  authority: { type: 'string', value: '<host>', multiple: true, help: 'Another name of the service, beside that in the name of its log' },
  'known-keys': { type: 'string', value: '<path>', help: 'Remembers the keys of counterparties in this file, and fails if one changes' },
  'accept-key': { type: 'boolean', help: 'With --known-keys: remember a changed key, too' },
  'content-hash': { type: 'string', value: '<hash>', help: 'For a .tlog-proof: the content_hash of the message' },
  receipt: { type: 'string', value: '<path>', help: 'For a .tlog-proof: the JSON of the receipt, instead of its hash' },
};

export function isReceipt(given: string): boolean {
  return /^(https?:\/\/|rcpt_\w+$)/.test(given);
}

export async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = newSha256();
  try {
    for await (const chunk of createReadStream(path, { signal })) hash.update(chunk);
  } catch (error) {
    throw new UsageError(`Couldn’t read ${path}: ${(error as Error).message}`);
  }
  return hash.digest();
}

const NO_TRUSTED_KEY =
  'Not verified: no trusted key. Anybody can make such a proof with a key of their own. Give the key of the log that you know with --vkey, or a policy with --policy. A service publishes its key at /.well-known/waybill.json: keep it apart from proofs, from when you begin to do business.';
const VERDICTS = {
  verified: ['green', 'Verified'],
  failed: ['red', 'Not verified'],
} as const;
const COLOURS = { verified: 'green', failed: 'red', unchecked: 'yellow' } as const;
const MARKS = { verified: 'ok  ', failed: 'FAIL', unchecked: '–   ' } as const;

interface Found {
  checks: readonly Check[];
  verdict: Verdict;
}

/** Prints the findings, then the verdict, or why it is not verified. Throws CheckFailed or NoTrustedKey unless it is "verified". */
export function conclude({ output }: Call, found: Found, lines: readonly string[] = [], why = NO_TRUSTED_KEY): void {
  const { checks, verdict } = found;
  const [colour, text] = { ...VERDICTS, untrusted: ['yellow', why] as const }[verdict];
  output.result({ ...found, warning: verdict === 'untrusted' ? why : null, ok: verdict === 'verified' }, () =>
    [...lines, ...checkLines(output, checks), output.paint(colour, text)].join('\n'),
  );
  if (verdict === 'failed') throw new CheckFailed();
  if (verdict === 'untrusted') throw new NoTrustedKey();
}

export function checkLines(output: Output, checks: readonly Check[]): string[] {
  return checks.map((one) => `${output.paint(COLOURS[one.state], MARKS[one.state])} ${one.part.padEnd(15)} ${visible(one.text)}`);
}

/** Verifies a proof in a file. Throws a UsageError if there is nothing to verify. */
export async function verifyFile(call: Call, path: string): Promise<void> {
  const isTlogProof = path.endsWith('.tlog-proof');
  const given = isTlogProof ? { isTlogProof, contentHash: contentHashIn(call) } : { isTlogProof, json: await jsonTextOf(call) };
  conclude(call, await verifyProofOf(call, bytesIn(path, BUNDLE_BYTES_MAX), given));
}

interface FileReport extends Found {
  content_hash: string;
  id: string | null;
}

interface Given {
  isTlogProof: boolean;
  /** The hash of the message. A `.tlog-proof` has neither the hash nor the log's key. */
  contentHash?: string;
  json?: string | undefined;
  /** The host that gave the proof: requests may be signed for it. */
  host?: string | undefined;
}

/** Throws a UsageError if the text is no proof. */
export async function verifyProofOf(
  call: Call,
  proof: string | Uint8Array,
  { isTlogProof, contentHash = '', json, host }: Given,
): Promise<FileReport> {
  const { options, signal } = call;
  try {
    if (isTlogProof) {
      const report = await verifyContentHash(decodeText(proof, BUNDLE_BYTES_MAX), contentHash, trustIn(call));
      return { content_hash: contentHash, id: null, ...report };
    }
    const files: { name: string; sha256: string }[] = [];
    for (const name of options.list('file')) files.push({ name, sha256: await hashOf(name, signal) });
    const tsaCertificates = options.list('tsa-cert').map((name) => textIn(name, CERTIFICATE_BYTES_MAX));
    const authorities = [...options.list('authority'), ...(host === undefined ? [] : [host])];
    const keys = { senderKeys: options.list('sender-key'), recipientKeys: options.list('recipient-key'), authorities };
    const report = withKnownKeys(call, await verifyBundle(proof, { ...trustIn(call), ...keys, json, files, tsaCertificates }));
    return { content_hash: report.contentHash, id: report.envelope?.id ?? null, checks: report.checks, verdict: report.verdict };
  } catch (error) {
    throw error instanceof ProofError ? new UsageError(error.message) : error;
  }
}

/** Only a proof that holds says whose key it is, so nothing is remembered of another one. */
function withKnownKeys({ options }: Call, report: Report): Report {
  const path = options.text('known-keys');
  if (path === undefined || report.verdict !== 'verified') return report;
  const known = new KnownKeys(path);
  const checks = [...report.checks, ...known.compare(report, options.is('accept-key'))];
  const verdict = verdictOf(checks, true);
  if (verdict === 'verified') known.save();
  return { ...report, checks, verdict };
}

function contentHashIn({ options }: Call): string {
  const [hash, receipt] = [options.text('content-hash'), options.text('receipt')];
  if ((hash === undefined) === (receipt === undefined))
    throw new UsageError('Say which message the .tlog-proof is of: --content-hash sha256:… or --receipt receipt.json.');
  if (hash !== undefined) return hash;
  let read: Parameters<typeof checkReceipt>[0];
  try {
    read = JSON.parse(textIn(receipt ?? '', BUNDLE_BYTES_MAX));
    if (checkReceipt(read).content === 'differs') throw new CheckFailed();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      error instanceof CheckFailed ? 'The receipt’s content_hash is not that of what it says.' : `${receipt} is not the JSON of a receipt.`,
    );
  }
  return read.content_hash;
}

export function isTrustGiven({ options }: Call): boolean {
  return options.text('policy') !== undefined || options.list('vkey').length > 0;
}

export function trustIn({ options }: Call): TrustOptions {
  const policy = options.text('policy');
  return { vkeys: options.list('vkey'), policy: policy === undefined ? undefined : textIn(policy, POLICY_CHARACTERS_MAX) };
}

function textIn(path: string, most: number): string {
  return bytesIn(path, most).toString('utf8');
}

export function bytesIn(path: string, most: number): Buffer {
  try {
    if (statSync(path).size > most) throw new Error(`it is larger than ${most} bytes`);
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`Couldn’t read ${path}: ${(error as Error).message}`);
  }
}

export async function saveFile(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (error) {
    throw new UsageError(`Couldn’t write ${path}: ${(error as Error).message}`);
  }
}

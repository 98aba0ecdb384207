import { createReadStream, readFileSync, statSync } from 'node:fs';
import { checkReceipt, newSha256 } from '@waybill/client';
import {
  BUNDLE_BYTES_MAX,
  type Check,
  decodeText,
  LEAF,
  leafOf,
  POLICY_CHARACTERS_MAX,
  ProofError,
  parseProof,
  trustOf,
  type VerifyOptions,
  verifyBundle,
  verifyProof,
} from '@waybill/proof';
import type { Call, Option } from '../command.ts';
import { jsonTextOf } from '../input.ts';
import { visible } from '../output.ts';
import { CheckFailed, UsageError } from '../problems.ts';

const CERTIFICATE_BYTES_MAX = 65_536;

/** Options for a proof in a file, beside those for JSON and files. */
export const FILE_OPTIONS: Record<string, Option> = {
  policy: { type: 'string', value: '<path>', help: 'The logs and witnesses that you trust (c2sp.org/tlog-policy)' },
  vkey: { type: 'string', value: '<key>', multiple: true, help: 'The key of a log that you trust' },
  'tsa-cert': { type: 'string', value: '<path>', multiple: true, help: 'A certificate in PEM that you trust for timestamps' },
  'content-hash': { type: 'string', value: '<hash>', help: 'For a .tlog-proof: the content_hash of the message' },
  receipt: { type: 'string', value: '<path>', help: 'For a .tlog-proof: the JSON of the receipt, instead of its hash' },
};

/** Everything else than a link or a token is a file. */
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

/** Verifies a proof in a file. Throws CheckFailed if it does not hold, and a UsageError if there is nothing to verify. */
export async function verifyFile(call: Call, path: string): Promise<void> {
  const { output } = call;
  const verify = path.endsWith('.tlog-proof') ? verifyTlogProof : verifyWaybillProof;
  const { checks, isVerified, isKeyFromFile, ...rest } = await verify(call, path).catch((error) => {
    throw error instanceof ProofError ? new UsageError(error.message) : error;
  });
  const warning = isKeyFromFile
    ? 'The log’s key is the one in the file: anybody could have made it. Give the key that you know with --vkey or --policy.'
    : undefined;
  output.result({ ...rest, checks, warning: warning ?? null, ok: isVerified }, () =>
    [
      ...checks.map(({ part, state, text }) => `${output.paint(COLOURS[state], MARKS[state])} ${part.padEnd(15)} ${visible(text)}`),
      ...(warning === undefined ? [] : [output.paint('yellow', warning)]),
      isVerified
        ? output.paint(isKeyFromFile ? 'yellow' : 'green', isKeyFromFile ? 'Verified with the key in the file' : 'Verified')
        : output.paint('red', 'Not verified'),
    ].join('\n'),
  );
  if (!isVerified) throw new CheckFailed();
}

const COLOURS = { verified: 'green', failed: 'red', unchecked: 'yellow' } as const;
const MARKS = { verified: 'ok  ', failed: 'FAIL', unchecked: '–   ' } as const;

interface FileReport {
  content_hash: string;
  id: string | null;
  checks: Check[];
  isVerified: boolean;
  isKeyFromFile: boolean;
}

async function verifyWaybillProof(call: Call, path: string): Promise<FileReport> {
  const { options, signal } = call;
  const files: { name: string; sha256: string }[] = [];
  for (const name of options.list('file')) files.push({ name, sha256: await hashOf(name, signal) });
  const tsaCertificates = options.list('tsa-cert').map((name) => textIn(name, CERTIFICATE_BYTES_MAX));
  const given = { ...trustIn(call), json: await jsonTextOf(call), files, tsaCertificates };
  const { contentHash, envelope, checks, isVerified, isKeyFromFile } = await verifyBundle(bytesIn(path, BUNDLE_BYTES_MAX), given);
  return { content_hash: contentHash, id: envelope?.id ?? null, checks, isVerified, isKeyFromFile };
}

/** A `.tlog-proof` has neither the hash nor the log's key: both are given. */
async function verifyTlogProof(call: Call, path: string): Promise<FileReport> {
  const hash = contentHashIn(call);
  const trust = trustIn(call);
  const { policy } = trustOf(trust, []);
  if (policy.logs.length === 0)
    throw new UsageError('A .tlog-proof has no key of its log: give one that you know with --vkey or --policy.');
  const text = decodeText(bytesIn(path, BUNDLE_BYTES_MAX), BUNDLE_BYTES_MAX);
  const leaf = leafOf(LEAF.message, hash);
  parseProof(text);
  const checks: Check[] = [];
  try {
    const { checkpoint, index, witnesses, isQuorum } = await verifyProof(text, leaf, policy);
    checks.push({ part: 'inclusion', state: 'verified', text: `Leaf ${index} of ${checkpoint.size} in the log ${checkpoint.origin}.` });
    const names = witnesses.map(({ name, time }) => `${name} at ${new Date(1_000 * time).toISOString()}`).join(', ');
    if (!isQuorum)
      checks.push({ part: 'witnesses', state: 'failed', text: 'Not enough witnesses of your policy cosigned the checkpoint.' });
    else if (names !== '') checks.push({ part: 'witnesses', state: 'verified', text: `The checkpoint is cosigned by ${names}.` });
    else checks.push({ part: 'witnesses', state: 'unchecked', text: 'Your policy asks for no witness.' });
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    checks.push({ part: 'inclusion', state: 'failed', text: error.message });
  }
  return { content_hash: hash, id: null, checks, isVerified: checks.every(({ state }) => state !== 'failed'), isKeyFromFile: false };
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

function trustIn({ options }: Call): Pick<VerifyOptions, 'policy' | 'vkeys'> {
  const policy = options.text('policy');
  return { vkeys: options.list('vkey'), policy: policy === undefined ? undefined : textIn(policy, POLICY_CHARACTERS_MAX) };
}

function textIn(path: string, most: number): string {
  return bytesIn(path, most).toString('utf8');
}

function bytesIn(path: string, most: number): Buffer {
  try {
    if (statSync(path).size > most) throw new Error(`it is larger than ${most} bytes`);
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`Couldn’t read ${path}: ${(error as Error).message}`);
  }
}

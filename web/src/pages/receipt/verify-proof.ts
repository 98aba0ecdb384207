import {
  BUNDLE_BYTES_MAX,
  type Check,
  LEAF,
  leafOf,
  ProofError,
  parseBundle,
  parsePolicy,
  type Report,
  type Timestamp,
  type VerifiedProof,
  verifyBundle,
  verifyProof,
} from '../../../../packages/proof/src/index.ts';
import type { AnyReceipt } from '../../api/schema.ts';
import { keysOf } from '../../verify/keys.ts';

export type { Check };
export const PROOF_MAX_BYTES = BUNDLE_BYTES_MAX;

export type ProofReport = { failure: string } | Verified;

export interface Verified {
  failure: undefined;
  index: number;
  size: number;
  origin: string;
  logKey: string;
  /** The witnesses named by the service that have cosigned. */
  witnesses: string[];
  witnessesKnown: number;
  /** For sentences, with the names of the keys that the service publishes. */
  evidence: Report;
  keys: string[];
  /** The earliest: an entry of the log stays in it. The page has no reason to trust the authority, so it is shown but not counted. */
  timestamp: Timestamp | undefined;
}

export interface BundleReport {
  isVerified: boolean;
  isOfReceipt: boolean;
  checks: Check[];
}

/** Verifies that the log has the content hash of a receipt. `text`: a tlog-proof or a bundle. The keys are those that the service publishes. */
export async function verifyProofOf(receipt: AnyReceipt, text: string, signal: AbortSignal): Promise<ProofReport> {
  requireCryptography();
  const policyText = await publishedPolicy(signal);
  const policy = parsePolicy(policyText);
  try {
    const bundle = text.startsWith('{') ? parseBundle(text) : undefined;
    const whole = bundle && (await requireVerified(receipt, text, policyText));
    const place = await verifyProof(bundle?.proof ?? text, leafIn(receipt), policy);
    const { index, checkpoint, log, witnesses } = place;
    return {
      failure: undefined,
      index,
      size: checkpoint.size,
      origin: checkpoint.origin,
      logKey: `${log.name}+${log.keyId}`,
      witnesses: witnesses.map(({ name }) => name),
      witnessesKnown: policy.witnesses.length,
      evidence: whole ?? hashOnly(receipt, place),
      keys: keysOf(place, policy.witnesses),
      timestamp: whole?.evidence.timestamps.toSorted((one, other) => one.time.getTime() - other.time.getTime())[0],
    };
  } catch (error) {
    if (error instanceof ProofError) return { failure: error.message };
    throw error;
  }
}

export async function verifyBundleFor(
  receipt: AnyReceipt,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<BundleReport | { unusable: string }> {
  requireCryptography();
  const policy = await publishedPolicy(signal);
  try {
    const { verdict, contentHash, checks } = await verifyBundle(bytes, { policy, authorities: [location.host] });
    return { isVerified: verdict === 'verified', isOfReceipt: contentHash === receipt.content_hash, checks };
  } catch (error) {
    if (error instanceof ProofError) return { unusable: error.message };
    throw error;
  }
}

function leafIn({ content_hash }: AnyReceipt): Uint8Array {
  return leafOf(LEAF.message, content_hash);
}

/** Of a minimal receipt, the log is asked for the content hash alone. */
function hashOnly({ content_hash: contentHash }: AnyReceipt, place: VerifiedProof): Report {
  const evidence = { place, sender: undefined, steps: [], isChainWhole: false, times: [], timestamps: [] };
  return { verdict: 'verified', contentHash, envelope: undefined, checks: [], signers: [], evidence };
}

async function requireVerified(receipt: AnyReceipt, text: string, policy: string): Promise<Report> {
  const report = await verifyBundle(text, { policy, authorities: [location.host] });
  const { verdict, contentHash, checks } = report;
  const failed = checks.find(({ state }) => state === 'failed');
  if (verdict !== 'verified') throw new ProofError(failed?.text ?? 'The service publishes no key of its log.');
  if (contentHash !== receipt.content_hash) throw new ProofError('The proof is of another message.');
  return report;
}

/** Browsers offer cryptography only to pages from a trustworthy address. */
function requireCryptography(): void {
  if (globalThis.crypto?.subtle === undefined) throw new Error('Browsers verify proofs only on pages with HTTPS.');
}

interface PublishedLog {
  vkey: string;
  previous_keys?: { vkey: string }[];
}

interface Published {
  log: PublishedLog;
  previous_logs?: PublishedLog[];
  witnesses?: { name: string; vkey: string }[];
}

/** The keys of the logs and witnesses, as a policy (c2sp.org/tlog-policy) without a quorum. */
async function publishedPolicy(signal: AbortSignal): Promise<string> {
  const response = await fetch('/.well-known/waybill.json', { signal });
  if (!response.ok) throw new Error('Couldn’t get the key of the log. Reload the page.');
  const { log, previous_logs = [], witnesses = [] }: Published = await response.json();
  const vkeys = [log, ...previous_logs].flatMap(({ vkey, previous_keys = [] }) => [vkey, ...previous_keys.map((key) => key.vkey)]);
  return [...vkeys.map((vkey) => `log ${vkey}`), ...witnesses.map(({ name, vkey }) => `witness ${name} ${vkey}`), 'quorum none'].join('\n');
}

import { hashedText } from '../../../../packages/client/src/hashed-text.ts';
import type { AnyReceipt, Receipt } from '../../api/schema.ts';
import { hashes, Unreadable } from './hash.ts';
import type { BundleReport } from './verify-proof.ts';

/** The result for a file or text that is compared with the receipt, or for a proof. */
export type Finding = HashFinding | ProofFinding;

export interface HashFinding {
  name: string;
  /** The hash of the bytes, or of the canonical form of JSON. */
  hash: string | undefined;
  /** The hash of JSON as written, without space around it. */
  bytesHash?: string | undefined;
  isJson: boolean;
  unreadable: string | undefined;
}

export interface ProofFinding {
  name: string;
  proof: { unusable: string } | BundleReport;
}

const PROOF_NAME = /\.waybill-proof(\.\w+)?$/i;

/** A message has less JSON than this, even with much whitespace. */
const JSON_FILE_MAX_BYTES = 16 * 1024 * 1024;

export async function checkText(text: string, signal: AbortSignal): Promise<HashFinding> {
  return jsonFinding('The JSON', text, signal);
}

/** Compares the bytes with the files, then the canonical form with the JSON. */
export async function checkFile(
  file: File,
  receipt: AnyReceipt,
  { signal, onProgress }: { signal: AbortSignal; onProgress(doneBytes: number): void },
): Promise<Finding> {
  if (PROOF_NAME.test(file.name)) return checkProof(file, receipt, signal);
  const [hash = ''] = await hashes({ file }, { signal, onProgress });
  const plain: Finding = { name: file.name, hash, isJson: false, unreadable: undefined };
  const isFile = receipt.files.some(({ sha256 }) => sha256 === hash);
  if (isFile || receipt.json_sha256 === null || file.size > JSON_FILE_MAX_BYTES) return plain;
  const asJson = await jsonFinding(file.name, file, signal);
  if (asJson.hash === receipt.json_sha256) return asJson;
  return receipt.files.length === 0 && /\.json$/i.test(file.name) ? asJson : plain;
}

async function checkProof(file: File, receipt: AnyReceipt, signal: AbortSignal): Promise<ProofFinding> {
  const { PROOF_MAX_BYTES, verifyBundleFor } = await import('./verify-proof.ts');
  // A proof has no more bytes.
  const bytes = new Uint8Array(await file.slice(0, PROOF_MAX_BYTES + 1).arrayBuffer());
  return { name: file.name, proof: await verifyBundleFor(receipt, bytes, signal) };
}

async function jsonFinding(name: string, json: string | File, signal: AbortSignal): Promise<HashFinding> {
  try {
    const [hash, bytesHash] = await hashes({ json }, { signal });
    return { name, hash, bytesHash, isJson: true, unreadable: undefined };
  } catch (error) {
    if (error instanceof Unreadable) return { name, hash: undefined, isJson: true, unreadable: error.message };
    throw error;
  }
}

export interface IntegrityResult {
  isIntact: boolean;
  /** The number of files that were hashed after delivery: content_hash does not cover their bytes. */
  hashedLater: number;
}

/**
 * Whether content_hash matches the receipt. At delivery, large files had no hash yet. So it is compared with and without the hashes of the largest
 * file, the two largest, and so on.
 */
export async function checkReceipt(receipt: Receipt, signal: AbortSignal): Promise<IntegrityResult> {
  const sizes = [...new Set(receipt.files.map(({ size_bytes }) => size_bytes))].sort((a, b) => b - a);
  const bounds = [Number.POSITIVE_INFINITY, ...sizes];
  const found = await hashes({ texts: bounds.map((bound) => hashedText(receipt, bound)) }, { signal });
  const at = found.indexOf(receipt.content_hash);
  const bound = bounds[at];
  const hashedLater = bound === undefined ? 0 : receipt.files.filter((file) => file.size_bytes >= bound && file.sha256 !== null).length;
  return { isIntact: at >= 0, hashedLater };
}

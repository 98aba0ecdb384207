import { createHash } from 'node:crypto';
import {
  consistencyProof,
  cosignatureVerifier,
  type NoteSignature,
  ProofError,
  parseNote,
  type ReadTile,
  type VerifierKey,
} from '@waybill/proof';
import { formatAddCheckpoint } from '../../contract/add-checkpoint.ts';
import { WITNESS_PATIENCE_MS, WITNESS_RESPONSE_MAX_BYTES } from '../../contract/witness-limits.ts';
import { boundedFetch } from '../../platform/outbound/bounded-fetch.ts';

export interface WitnessAddress {
  name: string;
  key: VerifierKey;
  /** The URL prefix of both the submission and the monitoring paths. */
  url: string;
}

interface CheckpointToCosign {
  size: number;
  note: string;
  readTile: ReadTile;
}

/** The witness has cosigned another checkpoint, which this one does not continue. */
export class WitnessRefusal extends Error {}

const BOUNDS = { maxBytes: WITNESS_RESPONSE_MAX_BYTES, patienceMs: WITNESS_PATIENCE_MS };

/**
 * Requests a cosignature (c2sp.org/tlog-witness) with a consistency proof from the size that the witness has cosigned. If that size is
 * another one than ours, the response has it, and the request is repeated once.
 */
export async function askForCosignature(
  { key, url }: WitnessAddress,
  { size, note, readTile }: CheckpointToCosign,
  knownSize: number,
  signal: AbortSignal,
): Promise<NoteSignature> {
  let oldSize = Math.min(knownSize, size);
  for (let isSecond = false; ; isSecond = true) {
    const body = formatAddCheckpoint({ oldSize, consistencyProof: await consistencyProof(oldSize, size, readTile), note });
    const response = await boundedFetch(`${url}/add-checkpoint`, { method: 'POST', body }, { ...BOUNDS, signal });
    const text = response.body.toString('utf8');
    if (response.status === 200) return cosignatureIn(text, note, key);
    if (response.status === 422) throw new WitnessRefusal('the witness says that the checkpoint is of another history (422)');
    if (response.status !== 409) throw new Error(`the witness responded with ${response.status}`);
    const theirs = /^(0|[1-9]\d{0,15})\n$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(theirs)) throw new Error('the witness responded with 409 without a tree size');
    if (theirs > size) throw new WitnessRefusal(`the witness has cosigned ${theirs} leaves, and the log has ${size} (409)`);
    if (isSecond) throw new Error('the witness responded with 409 twice');
    oldSize = theirs;
  }
}

export async function cosignedCheckpoint({ url }: WitnessAddress, origin: string, signal: AbortSignal): Promise<string | undefined> {
  const hash = createHash('sha256').update(origin).digest('hex');
  const { status, body } = await boundedFetch(`${url}/${hash}/checkpoint`, {}, { ...BOUNDS, signal });
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`the witness responded with ${status}`);
  return body.toString('utf8');
}

/** Signatures of other keys in the response are ignored. */
async function cosignatureIn(lines: string, note: string, key: VerifierKey): Promise<NoteSignature> {
  try {
    const { body } = parseNote(note);
    const ours = parseNote(`${body}\n${lines}`).signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId);
    if (!ours) throw new ProofError('its key signed nothing');
    const verified = await cosignatureVerifier(key).verify(body, ours.signature);
    if (!verified?.time) throw new ProofError('it is wrong, or without a time');
    return ours;
  } catch (error) {
    if (error instanceof ProofError) throw new Error(`the witness responded without a valid cosignature: ${error.message}`);
    throw error;
  }
}

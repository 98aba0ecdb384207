import type { VerifiedRequest } from './signed-request.ts';
import type { Actor, Party } from './statements.ts';
import type { Timestamp } from './timestamp.ts';
import type { VerifiedProof } from './tlog-proof.ts';

/**
 * What holds by itself, for programs that tell it in their own words. Without a trusted key, or where another line of the report failed, it proves
 * nothing: the verdict and the lines of the report say that.
 */
export interface Evidence {
  /** The place of the message in the log. */
  place: VerifiedProof | undefined;
  sender: EvidentSignature | undefined;
  /** What happened to the message later. In order of number, if `isChainWhole`. */
  steps: EvidentStep[];
  /** The steps are numbered from 1, and each has the hash of the one before. */
  isChainWhole: boolean;
  /** When the message was in the log, by the word of others than the service whom the caller trusts. */
  times: StatedTime[];
  timestamps: Timestamp[];
}

export interface EvidentSignature {
  keyId: string;
  /** What the signature leaves open, in words. */
  notCovered: readonly string[];
  revokedAt: string | undefined;
}

export interface EvidentStep {
  kind: 'hand-over' | 'acknowledgement' | 'expiry';
  /** Undefined: an acknowledgement from before they were numbered. */
  number: number | undefined;
  at: string;
  party: Party;
  /** The party is the one that the envelope names. If not: that it is the recipient is the service’s word. */
  isRecipient: boolean;
  /** Of a hand-over: `webhook` or `consumer`. */
  way?: string;
  /** Of an acknowledgement. */
  said?: { status: string; reason: string | null; actor: Actor; signature: EvidentSignature | undefined };
}

/** A time that somebody else than the service stated of a checkpoint that has the message. */
export interface StatedTime {
  time: Date;
  by: string;
}

export function noEvidence(): Evidence {
  return { place: undefined, sender: undefined, steps: [], isChainWhole: false, times: [], timestamps: [] };
}

export function evidentSignature(request: VerifiedRequest | undefined): EvidentSignature | undefined {
  return request && { keyId: request.key.id, notCovered: request.notCovered, revokedAt: request.revokedAt };
}

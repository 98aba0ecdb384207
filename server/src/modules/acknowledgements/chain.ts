import type { HandOverWay } from '../../contract/acknowledgements.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { formatId, timeOfUuid } from '../../contract/ids.ts';
import { sha256 } from '../../contract/sha256.ts';
import { sha256Text } from '../messages/envelope.ts';

/** What the statements about a message say of it. `recipient` is JSON text of the moment of delivery. */
export interface ChainedMessage {
  id: string;
  contentHash: Buffer;
  recipient: string;
  expiresAt: string | null;
}

/** A row about a message. Of hand-overs and non-deliveries, the statement is made from the row, as an envelope is. */
export interface LinkRow {
  number: number;
  saidAt: Date | null;
  way: HandOverWay | null;
  statement: string | null;
  logBatch: string;
  logSlot: number;
}

/** A statement about a message that has a leaf in the log, with the number of the statement and the hash of the one before. */
export interface Link {
  number: number;
  kind: 'hand-over' | 'non-delivery' | 'acknowledgement';
  at: Date;
  statement: string;
  logBatch: string;
  logSlot: number;
}

/** The place of a statement among those of its message. */
export interface Place {
  number: number;
  previous: string | null;
}

/** The first byte of a leaf: its kind (docs/proof.md). */
export const CHAIN_LEAVES = { acknowledgement: 0x03, 'hand-over': 0x07, 'non-delivery': 0x08 } as const;

/** The chain of a message from its rows, which are in the order of their numbers. */
export function linksOf(message: ChainedMessage, rows: readonly LinkRow[]): Link[] {
  const links: Link[] = [];
  for (const { number, saidAt, way, statement: stored, logBatch, logSlot } of rows) {
    const kind = stored !== null ? 'acknowledgement' : way !== null ? 'hand-over' : 'non-delivery';
    const at = saidAt ?? new Date(JSON.parse(stored ?? '').at);
    const place = { number, previous: previousIn(links) };
    const statement = stored ?? (way === null ? nonDeliveryStatement(message, place, at) : handOverStatement(message, place, at, way));
    links.push({ number, kind, at, statement, logBatch, logSlot });
  }
  return links;
}

function previousIn(links: readonly Link[]): string | null {
  const last = links.at(-1);
  return last === undefined ? null : sha256Text(sha256(last.statement));
}

export function nextPlace(links: readonly Link[]): Place {
  return { number: (links.at(-1)?.number ?? 0) + 1, previous: previousIn(links) };
}

/** Clocks differ and transactions overlap, but the times of a chain never go backwards, and begin with the delivery. */
export function timeAfter(links: readonly Link[], receivedAt: Date, at: Date): Date {
  return new Date(Math.max(at.getTime(), receivedAt.getTime(), links.at(-1)?.at.getTime() ?? 0));
}

/**
 * The time in the id of the next batch of leaves. The sequencer places batches in the order of their ids, so that each link has a higher index
 * than the one before, and than its message.
 */
export function batchTimeAfter(links: readonly Link[], receivedAt: Date, messageBatch: string | null, now: Date): Date {
  const before = [links.at(-1)?.logBatch, messageBatch].map((batch) => (batch ? timeOfUuid(batch) : 0));
  return new Date(Math.max(now.getTime(), 1 + Math.max(receivedAt.getTime(), ...before)));
}

export function handOverStatement(message: ChainedMessage, place: Place, at: Date, way: HandOverWay): string {
  return canonicalJson({ ...statementAbout(message, place, at), way });
}

export function nonDeliveryStatement(message: ChainedMessage, place: Place, at: Date): string {
  return canonicalJson({ ...statementAbout(message, place, at), expires_at: message.expiresAt });
}

function statementAbout({ id, contentHash, recipient }: ChainedMessage, { number, previous }: Place, at: Date) {
  return {
    at: at.toISOString(),
    content_hash: sha256Text(contentHash),
    message: formatId('msg', id),
    number,
    party: JSON.parse(recipient).party,
    previous,
  };
}

export function leafOf(kind: Link['kind'], statement: string): Buffer {
  return Buffer.concat([Buffer.from([CHAIN_LEAVES[kind]]), sha256(statement)]);
}

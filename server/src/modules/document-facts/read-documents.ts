import { setImmediate } from 'node:timers/promises';
import { type MessageDocument, messageDocument, threadDocument } from '@waybill/documents';
import { DOCUMENT_FACTS_MAX_BYTES } from '../../contract/limits.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { ownersAmong, ownPlaces, typeKey } from '../document-types/fact-places.ts';
import { noteChanges } from '../threads/change-threads.ts';
import { queueEvents } from '../webhooks/events.ts';
import * as store from './fact-store.ts';
import { advanceQueued, deleteQueued, type Queued, takeQueued } from './queue-store.ts';

/** The size of a round. It is one transaction, during which new entries of its businesses wait. */
const THREADS_PER_ROUND = 100;
const ENTRIES_PER_THREAD = 20;
const JSON_BYTES_AT_ONCE = 1024 * 1024;
/** Threads whose documents are in memory at a time. */
const FOLDED_AT_ONCE = 25;

export interface Round {
  threads: number;
  /** The next round begins with the business after this one. */
  lastParty: bigint;
}

/**
 * Reads the documents of some queued threads, and writes what follows from them. All of it is one transaction with the rows of the queue, and a
 * repeat writes the same. Returns 'busy' while another process does this in the shard.
 */
export function readSome(shard: Database, afterParty: bigint): Promise<Round | 'busy'> {
  return shard.transaction((tx) => readRound(tx, afterParty));
}

export async function readRound(tx: Queryable, afterParty: bigint): Promise<Round | 'busy'> {
  const queued = await takeQueued(tx, THREADS_PER_ROUND, afterParty);
  if (queued === 'busy') return queued;
  if (queued.length === 0) return { threads: 0, lastParty: 0n };
  const parts = await readParts(tx, queued);
  const filtered = await store.filteredAmong(tx, [...new Set(queued.map(({ partyId }) => partyId))]);
  await store.writeFacts(tx, factRows(parts, filtered));
  for (const { queued: thread, messages, isLast } of parts) {
    const without = messages.flatMap(({ id, facts }) => (facts === undefined ? [id] : []));
    if (thread.isRebuild || without.length > 0) await store.forgetFacts(tx, thread, without, thread.isRebuild && isLast);
  }
  const done = parts.filter(({ isLast }) => isLast).map(({ queued }) => queued);
  await writeDocuments(tx, done);
  await deleteQueued(tx, done);
  for (const { queued: thread, isLast, through } of parts) if (!isLast) await advanceQueued(tx, thread, through);
  return { threads: queued.length, lastParty: queued.at(-1)?.partyId ?? 0n };
}

interface Read {
  id: string;
  type: string | null;
  /** Undefined: the message has no document. */
  facts: MessageDocument | undefined;
}

interface Part {
  queued: Queued;
  messages: Read[];
  through: string;
  isLast: boolean;
}

async function readParts(tx: Queryable, queued: readonly Queued[]): Promise<Part[]> {
  const parts = queued.map((one): Part => ({ queued: one, messages: [], through: one.after, isLast: true }));
  const owners = await ownersAmong(tx, [...new Set(queued.map(({ partyId }) => partyId))]);
  const read = parts.filter(({ queued }) => queued.isRebuild || owners.has(queued.partyId));
  const threads = read.map(({ queued }) => queued);
  const entries = threads.length === 0 ? [] : await store.entriesOf(tx, threads, ENTRIES_PER_THREAD);
  const own = await ownPlaces(tx, typesIn(entries, threads));
  for await (const { entry, json } of withJson(tx, entries)) {
    const part = read[entry.place - 1];
    if (part === undefined) continue;
    const places = entry.type === null ? undefined : own.get(typeKey({ partyId: part.queued.partyId, type: entry.type }));
    part.messages.push({ id: entry.message_id, type: entry.type, facts: messageDocument(entry.type, json, places) });
    part.through = entry.position;
  }
  const counts = Map.groupBy(entries, ({ place }) => place);
  for (const [i, part] of read.entries()) part.isLast = (counts.get(i + 1)?.length ?? 0) < ENTRIES_PER_THREAD;
  return parts;
}

/** The types that readers of the entries may have described themselves. */
function typesIn(entries: readonly store.Entry[], queued: readonly Queued[]) {
  const keys = entries.flatMap((entry) => {
    const reader = queued[entry.place - 1];
    return reader && entry.type !== null && readableBytes(entry) > 0 ? [{ partyId: reader.partyId, type: entry.type }] : [];
  });
  return [...new Map(keys.map((key) => [typeKey(key), key])).values()];
}

/** Yields the entries with their JSON, of which only some is in memory, and lets others run in between. JSON that is too long is null. */
async function* withJson(tx: Queryable, entries: readonly store.Entry[]): AsyncGenerator<{ entry: store.Entry; json: string | null }> {
  for (let from = 0; from < entries.length; ) {
    let bytes = 0;
    let end = from;
    for (; end < entries.length && (end === from || bytes < JSON_BYTES_AT_ONCE); end++) bytes += readableBytes(entries[end]);
    const some = entries.slice(from, end);
    const readable = some.filter((entry) => readableBytes(entry) > 0);
    const texts = readable.length === 0 ? [] : await store.jsonTexts(tx, readable);
    const jsonOf = new Map(readable.map((entry, i) => [entry, texts[i] ?? null]));
    for (const entry of some) {
      yield { entry, json: jsonOf.get(entry) ?? null };
      if (readableBytes(entry) > DOCUMENT_FACTS_MAX_BYTES / 16) await setImmediate();
    }
    from = end;
  }
}

function readableBytes(entry: store.Entry | undefined): number {
  const bytes = entry?.json_bytes ?? 0;
  return bytes <= DOCUMENT_FACTS_MAX_BYTES ? bytes : 0;
}

/** A message to oneself has two entries. */
function factRows(parts: readonly Part[], filtered: ReadonlySet<bigint>): store.FactRow[] {
  const rows = new Map<string, store.FactRow>();
  for (const { queued, messages } of parts)
    for (const { id, type, facts } of messages) {
      if (facts === undefined) continue;
      const { status, number, total, currency, dueDate: due_date } = facts;
      const key = { party_id: queued.partyId.toString(), thread_id: queued.threadId, message_id: id };
      rows.set(`${key.party_id} ${id}`, {
        ...key,
        type,
        status,
        number,
        total,
        currency,
        due_date,
        is_filtered: filtered.has(queued.partyId),
      });
    }
  return [...rows.values()];
}

/** Writes the documents of threads that differ from before, and tells webhooks of a new state, unless the thread was only read again. */
async function writeDocuments(tx: Queryable, queued: readonly Queued[]): Promise<void> {
  const threads = [...new Map(queued.map((one) => [`${one.partyId} ${one.threadId}`, one])).values()];
  const before = new Map((await store.documentsOf(tx, threads)).map((row) => [`${row.party_id} ${row.thread_id}`, row]));
  const changed: { row: store.DocumentRow; isNewState: boolean }[] = [];
  for (let from = 0; from < threads.length; from += FOLDED_AT_ONCE) {
    const some = threads.slice(from, from + FOLDED_AT_ONCE);
    const facts = Map.groupBy(await store.factsOf(tx, some), ({ place }) => place);
    for (const [i, thread] of some.entries()) {
      const known = before.get(`${thread.partyId} ${thread.threadId}`);
      const row = known && documentRow(known, facts.get(i + 1) ?? []);
      if (row && !isSame(known, row))
        changed.push({ row, isNewState: (row.document_state ?? 'none') !== (known.document_state ?? 'none') });
    }
    await setImmediate();
  }
  if (changed.length === 0) return;
  await noteChanges(tx, [...new Set(changed.map(({ row }) => BigInt(row.party_id)))]);
  await store.setDocuments(
    tx,
    changed.map(({ row }) => row),
  );
  const told = new Set(queued.filter(({ isRebuild }) => !isRebuild).map(({ partyId, threadId }) => `${partyId} ${threadId}`));
  const news = changed.filter(({ row, isNewState }) => isNewState && told.has(`${row.party_id} ${row.thread_id}`));
  for (const [party, rows] of Map.groupBy(news, ({ row }) => row.party_id))
    await queueEvents(
      tx,
      BigInt(party),
      'thread.updated',
      rows.map(({ row }) => row.thread_id),
    );
}

function documentRow({ party_id, thread_id }: store.DocumentRow, facts: readonly store.Fact[]): store.DocumentRow {
  const document = threadDocument(facts.map(messageOf));
  return {
    party_id,
    thread_id,
    document_state: document ? (document.state ?? 'none') : null,
    document_type: document?.type ?? null,
    document_number: document?.number ?? null,
    document_total: document?.total ?? null,
    document_currency: document?.currency ?? null,
    document_due: document?.dueDate ?? null,
    document_rank: document?.rank ?? null,
    document_through: facts.at(-1)?.message_id ?? null,
  };
}

function messageOf({ type, status, number, total, currency, due_date, acknowledged }: store.Fact) {
  const given = <Value>(value: Value | null) => value ?? undefined;
  const facts = { status: given(status), number: given(number), total: given(total), currency: given(currency), dueDate: given(due_date) };
  return { type, acknowledged, ...facts };
}

function isSame(one: store.DocumentRow, other: store.DocumentRow): boolean {
  return JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(other));
}

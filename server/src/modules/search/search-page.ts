import type { Readable } from 'node:stream';
import type { Spend } from '../../contract/cost.ts';
import { formatId } from '../../contract/ids.ts';
import { PAGE_MAX_BYTES, SEARCH_MARKED_WORDS_MAX } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import type { EnvelopeServices } from '../messages/envelopes.ts';
import { type Loaded, listBody, type Reader } from '../messages/page-body.ts';
import { entriesOf, type ListedEntry, pageFrom } from '../messages/read-messages.ts';
import { colleagueView } from '../threads/colleagues.ts';
import { type MatchedField, matchesIn, type WordBudget } from './matches.ts';
import type { Found, Results } from './search.ts';
import type { Term } from './search-query.ts';
import { jsonTexts } from './search-store.ts';

/** A document has this much of a message's json, of its note, and of all its file names together. */
const JSON_CHARS = 32_768;
const NOTE_CHARS = 8_192;
const FILENAMES_CHARS = 8_192;
/** All messages of a page together have at most this much json read for marks. */
const JSON_PER_PAGE_CHARS = 1_048_576;
const AT_ONCE = 20;
/** The unit of a request pays for this much marking, which is more than most pages take. */
const MARKING_PAID_MS = 5;

interface Named {
  display_name: string;
  handle?: string;
  domain?: string;
  email?: string;
}

interface FoundEntry extends ListedEntry {
  row: Found;
}

export async function resultsBody(
  services: EnvelopeServices,
  { business }: Caller,
  results: Results,
  reader: Reader & { spend: Spend },
): Promise<string | Readable> {
  const { found, terms, isComplete } = results;
  const cursorAfter = ({ row }: FoundEntry) => results.cursorAfter(row);
  const { entries, nextCursor } = pageFrom(await foundEntries(services, business.id, found), found.length, cursorAfter);
  const jsons = terms.length === 0 ? [] : await jsonsOf(services, business.id, entries);
  const left: WordBudget = { words: SEARCH_MARKED_WORDS_MAX };
  let paidMs = MARKING_PAID_MS;
  return listBody(services, { readerId: business.id, detail: 'summary', entries }, reader, {
    opening: '{"data":[',
    item: (summary, { row }, message, place) => {
      const beganAt = performance.now();
      const item = itemJson(row, summary, fieldsOf(message, jsons[place] ?? null), terms, left);
      // Others chose the texts, and some take much longer to compare than their bytes say.
      paidMs -= performance.now() - beganAt;
      if (paidMs < 0) reader.spend({ workerMs: -paidMs });
      paidMs = Math.max(0, paidMs);
      return item;
    },
    closing: (cutAfter) => {
      const next = cutAfter ? cursorAfter(cutAfter) : (nextCursor ?? results.nextCursor);
      return `],"next_cursor":${JSON.stringify(next)},"complete":${isComplete}}`;
    },
    maxBytes: PAGE_MAX_BYTES,
  });
}

async function foundEntries(services: EnvelopeServices, partyId: bigint, found: readonly Found[]): Promise<FoundEntry[]> {
  const keys = found.map(({ sender_id, message_id }) => ({ senderId: BigInt(sender_id ?? 0), messageId: message_id ?? '' }));
  const entries = await entriesOf(services, partyId, keys, 'summary');
  const rows = found.values();
  return entries.flatMap((entry) => {
    const { value: row } = rows.next();
    return row ? [{ ...entry, row, bytes: entry.bytes + Buffer.byteLength(row.comment_text ?? '') }] : [];
  });
}

async function jsonsOf({ database }: EnvelopeServices, partyId: bigint, entries: readonly ListedEntry[]): Promise<(string | null)[]> {
  const jsons: (string | null)[] = [];
  for (let chars = 0; jsons.length < entries.length && chars < JSON_PER_PAGE_CHARS; ) {
    const more = await jsonTexts(database.of(partyId), entries.slice(jsons.length, jsons.length + AT_ONCE), JSON_CHARS);
    for (const json of more) chars += json?.length ?? 0;
    jsons.push(...more);
  }
  return jsons;
}

function itemJson(row: Found, summary: string, ofMessage: Iterable<Field>, terms: readonly Term[], left: WordBudget): string {
  const comment = commentOf(row);
  const ofComment: Field[] = comment
    ? [
        ['author', comment.author.name],
        ['comment', comment.text],
      ]
    : [];
  const matches = matchesIn(comment ? ofComment : ofMessage, terms, left);
  const rest = { thread_id: formatId('thr', row.thread_id), thread_subject: row.thread_subject, matches, ...(comment && { comment }) };
  return `{"message":${summary},${JSON.stringify(rest).slice(1)}`;
}

function commentOf({ id, comment_text: text, author_kind: kind, author_id: authorId, author_name: name, created_at: at }: Found) {
  if (text === null || kind === null || authorId === null || name === null || at === null) return undefined;
  return { id: formatId('cmt', id), author: colleagueView({ kind, id: authorId, name }), text, created_at: at.toISOString() };
}

type Field = [field: MatchedField, text: string | null];

function* fieldsOf({ subject, type, note, sender, recipient, files, id, threadId }: Loaded, json: string | null): Generator<Field> {
  const from: { party: Named; actor: { name: string; email: string | null } } = JSON.parse(sender);
  const to: { party: Named; segment?: string | null } = JSON.parse(recipient);
  yield ['subject', subject];
  yield ['type', type];
  for (const text of [...namesOf(from.party), from.actor.name, from.actor.email]) yield ['from', text];
  for (const text of [...namesOf(to.party), to.segment ?? null]) yield ['to', text];
  yield ['id', formatId('msg', id)];
  yield ['thread_id', formatId('thr', threadId)];
  let chars = FILENAMES_CHARS;
  for (const { filename } of files) {
    if (chars <= 0) break;
    yield ['file', filename.slice(0, chars)];
    chars -= filename.length;
  }
  yield ['note', note?.slice(0, NOTE_CHARS) ?? null];
  yield ['json', json === null ? null : plainText(json)];
}

function namesOf({ display_name, handle, domain, email }: Named): (string | null)[] {
  return [display_name, handle ?? null, domain ?? null, email ?? null];
}

/** Escapes are resolved as in documents (sql/search/json_text.sql). */
function plainText(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|.)/gs, (_, code?: string) => {
    const unit = code === undefined ? 0x20 : Number.parseInt(code, 16);
    return unit < 0x20 ? ' ' : String.fromCharCode(unit);
  });
}

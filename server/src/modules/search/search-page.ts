import { formatId } from '../../contract/ids.ts';
import { PAGE_MAX_BYTES } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import type { EnvelopeServices } from '../messages/envelopes.ts';
import { summariesOf } from '../messages/summaries.ts';
import { workerView } from '../threads/workers.ts';
import { type Match, matchesIn } from './matches.ts';
import type { Found, Results } from './search.ts';
import type { Term } from './search-query.ts';
import { jsonTexts } from './search-store.ts';

/** Of the json of a message, this much is in its document. */
const JSON_CHARS = 32_768;
/** Of the json of all messages of a page, this much is read for marks. */
const JSON_PER_PAGE_CHARS = 1_048_576;
/** Messages whose json is read together; others are served in between. */
const AT_ONCE = 20;

interface Named {
  display_name: string;
  handle?: string;
  domain?: string;
  email?: string;
}

/** What is read of an envelope. */
interface Summary {
  id: string;
  thread_id: string;
  type: string | null;
  subject: string | null;
  note: string | null;
  from: { party: Named; actor: { name: string; email: string | null } };
  to: { party: Named; segment?: string | null };
  json_bytes: number | null;
  files: { filename: string }[];
}

/** The results as JSON texts. Ends early when their messages are large together. */
export async function resultsJson(
  services: EnvelopeServices,
  { business }: Caller,
  { found, terms, cursorAfter, nextCursor }: Results,
): Promise<{ items: string[]; nextCursor: string | null }> {
  const keys = found.map(({ sender_id, message_id }) => ({ senderId: BigInt(sender_id ?? 0), messageId: message_id ?? '' }));
  const summaries = await summariesOf(services, business.id, keys, PAGE_MAX_BYTES);
  const items: string[] = [];
  let chars = 0;
  for (let i = 0; i < summaries.length; i += AT_ONCE) {
    const batch = summaries.slice(i, i + AT_ONCE);
    const hasRoom = terms.length > 0 && chars < JSON_PER_PAGE_CHARS;
    const jsons = hasRoom ? await jsonTexts(services.database.of(business.id), keys.slice(i, i + AT_ONCE), JSON_CHARS) : [];
    for (const [j, row] of found.slice(i, i + batch.length).entries()) {
      const json = jsons[j] ?? null;
      chars += json?.length ?? 0;
      items.push(itemJson(row, batch[j] ?? '', json, terms));
    }
  }
  const last = found[items.length - 1];
  return { items, nextCursor: items.length < found.length && last ? cursorAfter(last) : nextCursor };
}

function itemJson(row: Found, summary: string, json: string | null, terms: readonly Term[]): string {
  const comment = commentOf(row);
  const matches: Match[] = comment
    ? matchesIn(
        [
          ['comment', comment.text],
          ['author', comment.author.name],
        ],
        terms,
      )
    : matchesIn(fieldsOf(JSON.parse(summary), json), terms);
  const rest = { thread_id: formatId('thr', row.thread_id), thread_subject: row.thread_subject, matches, ...(comment && { comment }) };
  return `{"message":${summary},${JSON.stringify(rest).slice(1)}`;
}

function commentOf({ id, comment_text: text, author_kind: kind, author_id: authorId, author_name: name, created_at: at }: Found) {
  if (text === null || kind === null || authorId === null || name === null || at === null) return undefined;
  return { id: formatId('cmt', id), author: workerView({ kind, id: authorId, name }), text, created_at: at.toISOString() };
}

function* fieldsOf(summary: Summary, json: string | null): Generator<[string, string | null]> {
  const { subject, type, note, from, to, files, id, thread_id } = summary;
  yield ['subject', subject];
  yield ['type', type];
  yield ['note', note];
  for (const text of [...namesOf(from.party), from.actor.name, from.actor.email]) yield ['from', text];
  for (const text of [...namesOf(to.party), to.segment ?? null]) yield ['to', text];
  for (const { filename } of files) yield ['file', filename];
  yield ['id', id];
  yield ['thread_id', thread_id];
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

import { Decimal, type DocumentState, NUMBER_MAX_DIGITS } from '@waybill/documents';
import { invalid } from '../../contract/errors.ts';
import { parseDomain, parseEmail } from '../../contract/mail-names.ts';
import { parseHandle, parseSegment } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { parseDay, parseTime } from '../../contract/time.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { type Colleague, parseColleague } from './colleagues.ts';
import type { ThreadFilters } from './list-store.ts';
import { classesOf } from './thread-class.ts';

export interface ThreadQuery {
  box?: 'in' | 'out';
  status?: 'open' | 'done';
  assignee?: string;
  label?: string;
  unread?: boolean;
  type?: string;
  with?: string;
  segment?: string;
  failed_schema?: boolean;
  since?: string;
  until?: string;
  document_state?: DocumentState;
  number?: string;
  due_after?: string;
  due_before?: string;
  total_min?: string;
  total_max?: string;
  sort?: 'updated' | 'due_date' | 'total' | 'number';
  order?: 'asc' | 'desc';
}

/** Returns undefined when nothing can match. */
export async function resolveFilters(
  parties: PartyDirectory,
  business: Business,
  reader: Colleague,
  query: ThreadQuery,
): Promise<ThreadFilters | undefined> {
  const assigneeId = query.assignee === undefined || query.assignee === 'none' ? undefined : assigneeOf(reader, query.assignee);
  const other = query.with === undefined ? {} : await resolveWith(parties, query.with);
  if (other === undefined) return undefined;
  return {
    classes: classesOf({
      // Only received messages can be unread.
      box: query.box ?? (query.unread === true ? 'in' : undefined),
      isDone: query.status === undefined ? undefined : query.status === 'done',
      isAssigned: query.assignee === undefined ? undefined : query.assignee !== 'none',
      failedSchema: query.failed_schema,
    }),
    since: query.since === undefined ? undefined : positionOf('since', query.since),
    until: query.until === undefined ? undefined : positionOf('until', query.until),
    label: query.label,
    assigneeId,
    ...other,
    segment: query.segment === undefined ? undefined : segmentOf(business, query.segment),
    type: query.type,
    unread: query.unread,
    state: query.document_state,
    number: query.number,
    due: {
      from: query.due_after === undefined ? undefined : dayBeside('due_after', query.due_after, 1),
      to: query.due_before === undefined ? undefined : dayBeside('due_before', query.due_before, -1),
    },
    total: {
      from: query.total_min === undefined ? undefined : totalOf('total_min', query.total_min),
      to: query.total_max === undefined ? undefined : totalOf('total_max', query.total_max),
    },
    ...sortOf(query),
  };
}

const SORTS = { updated: undefined, due_date: 'by_due', total: 'by_total', number: 'by_number' } as const;

/** What is limited by a range is sorted by it, unless the request says otherwise: an index serves both. */
function sortOf(query: ThreadQuery): Pick<ThreadFilters, 'sort' | 'order'> {
  const hasDue = query.due_after !== undefined || query.due_before !== undefined;
  const hasTotal = query.total_min !== undefined || query.total_max !== undefined;
  const sort = query.sort ?? (hasDue ? 'due_date' : hasTotal ? 'total' : 'updated');
  return { sort: SORTS[sort], order: query.order ?? (sort === 'due_date' || sort === 'number' ? 'asc' : 'desc') };
}

const DAY_MS = 86_400_000;

/** The day after or before a day. */
function dayBeside(name: string, text: string, days: 1 | -1): string {
  const day = parseDay(text) ?? refuse(name, 'must be a day such as 2026-01-31, or so many days from today such as 7d');
  const beside = new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString();
  // Behind the last day of the calendar, or before the first one, is nothing.
  if (!/^\d{4}-/.test(beside) || beside.startsWith('0000')) return days > 0 ? 'infinity' : '-infinity';
  return beside.slice(0, day.length);
}

function totalOf(name: string, text: string): string {
  return (
    Decimal.parse(text)?.toString() ?? refuse(name, `must be a decimal number such as 1000.50, of at most ${NUMBER_MAX_DIGITS} digits`)
  );
}

function assigneeOf(reader: Colleague, text: string): string {
  if (text === 'me') return reader.id;
  return parseColleague(text)?.id ?? refuse('assignee', 'must be me, none, or the id of a person or an agent (usr_… or agt_…)');
}

/** The text is a handle, a mailbox, or a domain, which stands for the business that has verified it. */
async function resolveWith(
  parties: PartyDirectory,
  text: string,
): Promise<Pick<ThreadFilters, 'counterpartyId' | 'fromEmail'> | undefined> {
  if (text.includes('@')) {
    const email = parseEmail(text) ?? refuse('with', WITH_EXPECTED);
    const counterpartyId = await parties.find({ email });
    // A mailbox of an organisation is not a party of its own.
    return counterpartyId === undefined ? { fromEmail: email } : { counterpartyId };
  }
  if (text.includes('.')) {
    const domain = parseDomain(text) ?? refuse('with', WITH_EXPECTED);
    const counterpartyId = (await parties.ownerOf(domain))?.id ?? (await parties.find({ domain }));
    return counterpartyId === undefined ? undefined : { counterpartyId };
  }
  const party = await parties.byHandle(parseHandle(text) ?? refuse('with', WITH_EXPECTED));
  return party && { counterpartyId: party.id };
}

const WITH_EXPECTED = 'must be a handle, a domain or an e-mail address';

/** The text is `<segment>`, or `<handle>/<segment>` with the reader's own handle. */
function segmentOf(business: Business, text: string): string {
  const prefix = `${business.handle}/`;
  const segment = text.toLowerCase().startsWith(prefix) ? text.slice(prefix.length) : text;
  return parseSegment(segment) ?? refuse('segment', 'must be a segment of your business');
}

const POSITION_MAX = 2n ** 63n - 1n;

function positionOf(name: string, text: string): bigint {
  const ms = parseTime(text) ?? refuse(name, 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z (write + as %2B in a URL)');
  const position = BigInt(ms) * POSITIONS_PER_MS;
  return position > POSITION_MAX ? POSITION_MAX : position;
}

function refuse(name: string, message: string): never {
  throw invalid([{ path: `/${name}`, message }]);
}

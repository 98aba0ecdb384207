import { invalid } from '../../contract/errors.ts';
import { parseDomain, parseEmail } from '../../contract/mail-names.ts';
import { parseHandle, parseSegment } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { parseTime } from '../../contract/time.ts';
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
  };
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

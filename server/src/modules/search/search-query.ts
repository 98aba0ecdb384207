import { Decimal, DOCUMENT_NUMBER_MAX_CHARS, DOCUMENT_STATES, type DocumentState } from '@waybill/documents';
import { invalid } from '../../contract/errors.ts';
import { SEARCH_TERMS_MAX } from '../../contract/limits.ts';
import { parseDay, parseTime } from '../../contract/time.ts';
import { parseColleague } from '../threads/colleagues.ts';
import { wordsOf } from './words.ts';

/** The words of a term are adjacent in a document. */
export interface Term {
  words: string[];
  /** The last word may be a prefix: PO-48 finds PO-4814. */
  isPrefix: boolean;
}

export interface SearchQuery {
  terms: Term[];
  /** Words that stand for properties of a message (sql/search/message_words.sql). */
  facts: string[];
  label?: string;
  assigneeId?: string | null;
  isDone?: boolean;
  isUnread?: boolean;
  beforeMs?: number;
  afterMs?: number;
  /** Of the document of the thread. Ranges are written as PostgreSQL reads them, and all must hold. */
  state?: DocumentState;
  number?: string;
  dueRanges: string[];
  totalRanges: string[];
  /** Nothing can match, for example with a query of punctuation. */
  isEmpty: boolean;
}

const PART = /(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/gu;

/** Returns the operator's part of the query, or undefined if the value is none of its own. */
type Operator = (value: string, myId: string) => Partial<Omit<SearchQuery, 'terms' | 'isEmpty'>> | undefined;

/** Several operators of these kinds add up; of others, the last one counts. */
const LISTS = ['facts', 'dueRanges', 'totalRanges'] as const;

const fact = (word: string) => ({ facts: [`=${word}`] });
/** Names have no spaces, and ASCII letters ignore case. */
const named = (kind: string): Operator => {
  const prefix = `${kind}:`;
  return (value) => (/\s/.test(value) ? undefined : fact(prefix + value.toLowerCase().replace(/^@/, '')));
};

const OPERATORS: Readonly<Record<string, Operator>> = {
  from: named('f'),
  to: named('t'),
  type: (value) => fact(`y:${[...wordsOf(value)].map(({ folded }) => folded).join('.')}`),
  label: (value) => ({ label: value.normalize('NFC') }),
  assignee: (value, myId) => {
    if (value === 'none') return { assigneeId: null };
    const id = value === 'me' ? myId : parseColleague(value)?.id;
    return id === undefined ? undefined : { assigneeId: id };
  },
  is: (value) => ({ open: { isDone: false }, done: { isDone: true }, unread: { isUnread: true } })[value],
  has: (value) => (value === 'file' || value === 'json' ? fact(value) : undefined),
  before: (value) => timed('beforeMs', value),
  after: (value) => timed('afterMs', value),
  state: (value) => {
    const state = DOCUMENT_STATES.find((one) => one === value);
    return state && { state };
  },
  number: (value) => (value.length <= DOCUMENT_NUMBER_MAX_CHARS ? { number: value } : undefined),
  due: (value) => {
    const range = rangeOf(value, parseDay);
    return range === undefined ? undefined : { dueRanges: [range] };
  },
  total: (value) => {
    const range = rangeOf(value, (text) => Decimal.parse(text)?.toString());
    return range === undefined ? undefined : { totalRanges: [range] };
  },
};

/** `<7`, `<=7`, `>7`, `>=7` or `7` as a range. */
function rangeOf(value: string, read: (text: string) => string | undefined): string | undefined {
  const [, sign = '', text = ''] = /^([<>]=?)?(.+)$/.exec(value) ?? [];
  const bound = read(text);
  if (bound === undefined) return undefined;
  return { '': `[${bound},${bound}]`, '<': `(,${bound})`, '<=': `(,${bound}]`, '>': `(${bound},)`, '>=': `[${bound},)` }[sign];
}

function timed(name: 'beforeMs' | 'afterMs', value: string) {
  const ms = parseTime(value);
  return ms === undefined ? undefined : { [name]: ms };
}

/** An unknown operator, or one with an unknown value, is a plain word. */
export function parseQuery(text: string, myId: string): SearchQuery {
  const query: SearchQuery = { terms: [], facts: [], dueRanges: [], totalRanges: [], isEmpty: false };
  let parts = 0;
  for (const [written, name = '', phrase, word = ''] of text.normalize('NFC').matchAll(PART)) {
    if (++parts > SEARCH_TERMS_MAX) throw invalid([{ path: '/q', message: `must have at most ${SEARCH_TERMS_MAX} words and operators` }]);
    const value = phrase ?? word;
    const operator = value === '' || !Object.hasOwn(OPERATORS, name) ? undefined : OPERATORS[name]?.(value, myId);
    if (operator !== undefined) {
      const lists = LISTS.map((list) => [list, [...query[list], ...(operator[list] ?? [])]]);
      Object.assign(query, operator, Object.fromEntries(lists));
      continue;
    }
    const words = [...wordsOf(written)].map(({ folded }) => folded);
    if (words.length > 0) query.terms.push({ words, isPrefix: phrase === undefined });
  }
  const { isEmpty: _, ...given } = query;
  query.isEmpty = Object.values(given).every((value) => Array.isArray(value) && value.length === 0);
  return query;
}

import { invalid } from '../../contract/errors.ts';
import { SEARCH_TERMS_MAX } from '../../contract/limits.ts';
import { parseTime } from '../../contract/time.ts';
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
  /** Nothing can match, for example with a query of punctuation. */
  isEmpty: boolean;
}

const PART = /(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/gu;

/** Returns the operator's part of the query, or undefined if the value is none of its own. */
type Operator = (value: string, myId: string) => Partial<Omit<SearchQuery, 'terms' | 'isEmpty'>> | undefined;

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
};

function timed(name: 'beforeMs' | 'afterMs', value: string) {
  const ms = parseTime(value);
  return ms === undefined ? undefined : { [name]: ms };
}

/** An unknown operator, or one with an unknown value, is a plain word. */
export function parseQuery(text: string, myId: string): SearchQuery {
  const query: SearchQuery = { terms: [], facts: [], isEmpty: false };
  let parts = 0;
  for (const [written, name = '', phrase, word = ''] of text.normalize('NFC').matchAll(PART)) {
    if (++parts > SEARCH_TERMS_MAX) throw invalid([{ path: '/q', message: `must have at most ${SEARCH_TERMS_MAX} words and operators` }]);
    const value = phrase ?? word;
    const operator = value === '' || !Object.hasOwn(OPERATORS, name) ? undefined : OPERATORS[name]?.(value, myId);
    if (operator !== undefined) {
      Object.assign(query, operator, { facts: [...query.facts, ...(operator.facts ?? [])] });
      continue;
    }
    const words = [...wordsOf(written)].map(({ folded }) => folded);
    if (words.length > 0) query.terms.push({ words, isPrefix: phrase === undefined });
  }
  const { terms, facts, isEmpty: _, ...others } = query;
  query.isEmpty = terms.length === 0 && facts.length === 0 && Object.keys(others).length === 0;
  return query;
}

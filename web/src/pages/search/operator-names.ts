import { isDay } from '../../ui/day.ts';

export const OPERATORS: [name: string, what: string][] = [
  ['from:', 'a handle, domain or email address'],
  ['to:', 'a handle, segment or email address'],
  ['type:', 'the type of a message'],
  ['label:', 'in threads with a label'],
  ['assignee:', 'in threads of somebody'],
  ['is:', 'open, done or unread'],
  ['has:', 'file or json'],
  ['number:', 'in threads with a document of this number'],
  ['state:', 'in threads whose document has this state'],
  ['due:', 'in threads due then, such as <7d'],
  ['total:', 'in threads with such a total, such as >1000'],
  ['before:', 'received before a day'],
  ['after:', 'received on a day or later'],
];
export const FIXED: Record<string, [value: string, what: string][]> = {
  'is:': [
    ['open', 'in open threads'],
    ['done', 'in done threads'],
    ['unread', 'new to you'],
  ],
  'has:': [
    ['file', 'with files'],
    ['json', 'with JSON'],
  ],
  'state:': [
    ['requested', 'a quote was asked for'],
    ['quoted', 'a quote was given'],
    ['ordered', 'ordered'],
    ['changed', 'the order was changed'],
    ['confirmed', 'the order was confirmed'],
    ['despatched', 'on its way'],
    ['received', 'the goods have come'],
    ['invoiced', 'to be paid'],
    ['disputed', 'disputed'],
    ['credited', 'credited'],
    ['paid', 'paid'],
    ['rejected', 'rejected'],
  ],
};

/** A part of a search, as the service reads it: a word or a phrase, maybe with an operator. */
const PART = /(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/gu;
const WORKER = /^(me|none|(usr|agt)_\w+)$/;
const DUE = /^(?:[<>]=?)?(?:\d{4}-\d\d-\d\d|-?\d{1,4}d)$/;
const TOTAL = /^(?:[<>]=?)?-?\d+(?:\.\d+)?$/;
const isTime = (value: string): boolean => isDay(value) || /^\d{4}-\d\d-\d\dT/.test(value);

/** Returns a sentence for each unknown operator, which the service searches for as a word. */
export function unknownIn(query: string): string[] {
  const sentences = [...query.matchAll(PART)].map(([, name, phrase, word = '']) => sentenceOf(name, phrase ?? word));
  return [...new Set(sentences)].filter((sentence) => sentence !== undefined);
}

function sentenceOf(name: string | undefined, value: string): string | undefined {
  // A URL such as https://… is no operator, and its value may still be typed.
  if (name === undefined || value === '' || value.startsWith('//')) return undefined;
  const operator = `${name}:`;
  if (!OPERATORS.some(([known]) => known === operator)) return `${operator} is not a search operator.`;
  const fixed = FIXED[operator]?.map(([known]) => known);
  if (fixed) return fixed.includes(value) ? undefined : `${operator} takes ${listOf(fixed)}, not ${value}.`;
  if (operator === 'before:' || operator === 'after:')
    return isTime(value) ? undefined : `${operator} takes a day such as 2026-01-31, not ${value}.`;
  if (operator === 'due:')
    return DUE.test(value) ? undefined : `${operator} takes a day such as 2026-01-31 or 7d, with < or > before it, not ${value}.`;
  if (operator === 'total:') return TOTAL.test(value) ? undefined : `${operator} takes an amount such as >1000, not ${value}.`;
  if (operator === 'assignee:') return WORKER.test(value) ? undefined : `${operator} takes me, none or an id, not ${value}.`;
  return undefined;
}

const listOf = (values: string[]): string => `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

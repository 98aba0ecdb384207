import type { Narrowing } from '../../../parts/threads/views.ts';
import { isDay } from '../../../ui/day.ts';
import { SORT_NAMES, STATES } from './document-names.ts';

/** Filters by what is known of documents: those that fit the typed words. */
export type DocumentChoice = [group: string, text: string, narrowing: Narrowing, hint?: string];

const DAYS: DocumentChoice[] = [
  ['Due', 'Overdue', { due_before: '0d', sort: 'due_date' }],
  ['Due', 'Due within 7 days', { due_before: '8d', sort: 'due_date' }],
  ['Due', 'Due within 30 days', { due_before: '31d', sort: 'due_date' }],
];
const SORTS: DocumentChoice[] = Object.entries(SORT_NAMES).map(([sort, name]) => [
  'Sort',
  `Sort by ${name.toLowerCase()}`,
  { sort, order: undefined },
]);
const AMOUNT = /^\d+(?:\.\d+)?$/;
const NUMBER_MAX_CHARS = 64;

export function documentChoices(words: string): DocumentChoice[] {
  const fixed: DocumentChoice[] = [
    ...STATES.map(([state, name]): DocumentChoice => ['Document', name, { document_state: state }]),
    ...DAYS,
    ...SORTS,
  ];
  const fits = fixed.filter(([, text]) => text.toLowerCase().includes(words.toLowerCase()));
  // What is typed may be a day, an amount or a number: only its writer knows.
  const typed: DocumentChoice[] = isDay(words)
    ? [
        ['Due', 'Due after', { due_after: words }, words],
        ['Due', 'Due before', { due_before: words }, words],
      ]
    : [];
  if (AMOUNT.test(words))
    typed.push(['Total', 'Total from', { total_min: words }, words], ['Total', 'Total to', { total_max: words }, words]);
  if (/\d/.test(words) && words.length <= NUMBER_MAX_CHARS) typed.push(['Number', 'Document number', { number: words }, words]);
  return [...typed, ...fits];
}

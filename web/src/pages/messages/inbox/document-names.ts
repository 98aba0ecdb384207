import type { ThreadFilter } from '../../../parts/threads/views.ts';
import type { Tone } from '../../../ui/parts.tsx';

type State = NonNullable<ThreadFilter['document_state']>;

export const STATES: readonly [state: State, name: string, tone: Tone][] = [
  ['requested', 'Requested', 'plain'],
  ['quoted', 'Quoted', 'plain'],
  ['ordered', 'Ordered', 'accent'],
  ['changed', 'Changed', 'warn'],
  ['confirmed', 'Confirmed', 'good'],
  ['despatched', 'Despatched', 'accent'],
  ['received', 'Received', 'accent'],
  ['invoiced', 'Invoiced', 'warn'],
  ['disputed', 'Disputed', 'bad'],
  ['credited', 'Credited', 'plain'],
  ['paid', 'Paid', 'good'],
  ['rejected', 'Rejected', 'bad'],
];

export const STATE_NAMES: Readonly<Record<string, string>> = Object.fromEntries(STATES.map(([state, name]) => [state, name]));
export const TONES: Readonly<Record<string, Tone>> = Object.fromEntries(STATES.map(([state, , tone]) => [state, tone]));

export const SORT_NAMES: Readonly<Record<string, string>> = {
  number: 'Number',
  total: 'Total',
  due_date: 'Due date',
  updated: 'Last message',
};

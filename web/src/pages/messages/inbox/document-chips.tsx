import type { ListSearch, Narrowing } from '../../../parts/threads/views.ts';
import { isDay } from '../../../ui/day.ts';
import { amount, utcDayAndYear } from '../../../ui/format.ts';
import { Name } from '../../../ui/name.tsx';
import { Chip } from './chip.tsx';
import { SORT_NAMES, STATE_NAMES } from './document-names.ts';

interface DocumentChipsProps {
  search: ListSearch;
  narrow(narrowing: Narrowing): void;
}

/** The filters by what is known of documents. An address may hold anything, which the service refuses with a sentence. */
export function DocumentChips({ search, narrow }: DocumentChipsProps) {
  const { document_state, number, due_after, due_before, total_min, total_max, sort, order } = search;
  const day = (value: string) => (isDay(value) ? utcDayAndYear(new Date(`${value}T00:00:00Z`)) : daysText(value));
  const chips: [keyof Narrowing, string, string | undefined][] = [
    ['document_state', 'Document', document_state && (STATE_NAMES[document_state] ?? document_state)],
    ['number', 'Number', number],
    ['due_after', 'Due after', due_after && day(due_after)],
    ['due_before', 'Due before', due_before && day(due_before)],
    ['total_min', 'Total from', total_min && amount(total_min)],
    ['total_max', 'Total to', total_max && amount(total_max)],
    [
      'sort',
      'Sorted by',
      sort && `${SORT_NAMES[sort] ?? sort}${order === 'desc' ? ', highest first' : order === 'asc' ? ', lowest first' : ''}`,
    ],
  ];
  return chips.map(([name, label, value]) =>
    value === undefined ? null : (
      <Chip
        key={name}
        label={label}
        onRemove={() => narrow(name === 'sort' ? { sort: undefined, order: undefined } : { [name]: undefined })}
      >
        <Name>{value}</Name>
      </Chip>
    ),
  );
}

/** `7d` is a day that moves with the calendar. */
function daysText(value: string): string {
  const [, sign, days] = /^(-?)(\d{1,4})d$/.exec(value) ?? [];
  if (days === undefined) return value;
  if (Number(days) === 0) return 'today';
  return sign === '-' ? `${days} days ago` : `in ${days} days`;
}

import { useReading } from '../../api/queries.ts';
import { today } from '../../ui/day.ts';
import { addDays, addMonths } from '../../ui/days.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';
import type { Option } from '../../ui/options.tsx';
import { addressOf } from '../../ui/parts.tsx';
import { FIXED, OPERATORS } from './operator-names.ts';

const LAST_WORD = /(?:^|\s)(?:(\w+:))?([^\s:"]*)$/;
const TYPING_MS = 150;
const SHOWN_MAX = 8;

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

export function useOperatorOptions(query: string, isOpen: boolean, change: (query: string) => void): Option[] {
  const [, operator = '', typed = ''] = LAST_WORD.exec(query) ?? [];
  const isOf = (...names: string[]) => isOpen && names.includes(operator);
  const q = useDebouncedValue(typed.replace(/^@/, '').slice(0, 64), TYPING_MS);
  const contacts = useReading(
    'GET /v1/contacts',
    { query: { limit: SHOWN_MAX, ...(q !== '' && operator !== 'type:' && { q }) } },
    { enabled: isOf('from:', 'to:', 'type:') },
  );
  const labels = useReading('GET /v1/threads/labels', {}, { enabled: isOf('label:') });
  const assignees = useReading('GET /v1/threads/assignees', {}, { enabled: isOf('assignee:') });

  const before = query.slice(0, query.length - typed.length - operator.length);
  const fits = (text: string) => text.toLowerCase().includes(typed.toLowerCase());
  const valueOption = ([value, what]: [string, string]): Option => ({
    key: `${operator}${value}`,
    text: `${operator}${quoted(value)}`,
    hint: what,
    choose: () => change(`${before}${operator}${quoted(value)} `),
  });
  if (operator === '')
    return OPERATORS.filter(([name]) => name.startsWith(typed.toLowerCase())).map(([name, what]) => ({
      key: name,
      text: name,
      hint: what,
      choose: () => change(`${before}${name}`),
    }));
  const parties = contacts.data?.data ?? [];
  const values: Record<string, [string, string][]> = {
    ...FIXED,
    'from:': parties.map(({ party, label }) => [addressOf(party).replace(/^@/, ''), label || party.display_name]),
    'to:': parties.map(({ party, label }) => [addressOf(party).replace(/^@/, ''), label || party.display_name]),
    'type:': [...new Set(parties.flatMap(({ activity }) => activity.types))].map((type) => [type, '']),
    'label:': (labels.data?.data ?? []).map(({ label }) => [label, '']),
    'assignee:': [['me', 'you'], ['none', 'nobody'], ...(assignees.data?.data ?? []).map(({ id, name }): [string, string] => [id, name])],
    'due:': [
      ['<8d', 'within a week'],
      [`<${today()}`, 'overdue'],
    ],
    'before:': days(),
    'after:': days(),
  };
  return (values[operator] ?? [])
    .filter(([value, what]) => fits(value) || fits(what))
    .slice(0, SHOWN_MAX)
    .map(valueOption);
}

const days = (): [string, string][] => [
  [today(), 'today'],
  [addDays(today(), -7), 'a week ago'],
  [addMonths(today(), -1), 'a month ago'],
];

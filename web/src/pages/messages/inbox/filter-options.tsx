import { BadgeX, Braces, CalendarDays, ContactRound, type LucideIcon, Mail, SplitSquareHorizontal, Tag, UserRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useReading } from '../../../api/queries.ts';
import type { Contact } from '../../../api/schema.ts';
import type { ThreadRow } from '../../../parts/threads/thread-row.ts';
import type { Narrowing } from '../../../parts/threads/views.ts';
import { isDay, today } from '../../../ui/day.ts';
import { useDebouncedValue } from '../../../ui/debounce.ts';
import type { Option } from '../../../ui/options.tsx';
import { addressOf } from '../../../ui/parts.tsx';
import { rank } from '../../../ui/rank.ts';
import type { DocumentChoice, documentChoices } from './document-options.ts';

const TYPING_MS = 150;
const PER_GROUP_MAX = 5;
const CONTACTS_READ = 20;
const PARTNERS_READ = 100;
const AGENTS_READ = 200;

interface FilterOptions {
  typed: string;
  isOpen: boolean;
  rows: ThreadRow[];
  narrow(narrowing: Narrowing): void;
}

type Choice = [text: string, narrowing: Narrowing, hint?: string];

/** The filters that fit the typed text, by the names on the page, not only by exact values. */
export function useFilterOptions({ typed, isOpen, rows, narrow }: FilterOptions): Option[] {
  const words = typed.trim();
  const { parties, types, labels, workers, segments } = useKnown(words, isOpen, rows);
  const fits = ([text]: Choice) => text.toLowerCase().includes(words.toLowerCase());
  const group = (name: string, Icon: LucideIcon, choices: Choice[]): Option[] => {
    const options = choices.map(([text, narrowing, hint]) => ({
      key: `${name} ${JSON.stringify(narrowing)}`,
      group: name,
      text,
      hint,
      icon: <Icon className="size-4 shrink-0 text-soft" aria-hidden />,
      choose: () => narrow(narrowing),
    }));
    return rank(options, words).slice(0, PER_GROUP_MAX);
  };
  const day = isDay(words) ? words : today();
  const days: Choice[] = [
    ['Since', { since: day }, day],
    ['Until', { until: day }, day],
  ];
  const known = [
    ...group('State', Mail, STATES.filter(fits)),
    ...group('Schema', BadgeX, VERDICTS.filter(fits)),
    // Not matched against the typed text, because the service has searched the names.
    ...group('From or to', ContactRound, parties),
    ...group('Type', Braces, types.filter(fits)),
    ...group('Label', Tag, labels.filter(fits)),
    ...group('Assignee', UserRound, workers.filter(fits)),
    ...group('Segment', SplitSquareHorizontal, segments.filter(fits)),
    ...group('Last message', CalendarDays, isDay(words) ? days : days.filter(fits)),
    ...useDocumentChoices(isOpen, words).flatMap(([name, ...choice]) => group(name, Braces, [choice])),
  ];
  return rank(known, words);
}

/** What is known of documents is loaded when the field is used. */
function useDocumentChoices(isOpen: boolean, words: string): DocumentChoice[] {
  const [load, setLoaded] = useState<typeof documentChoices>();
  useEffect(() => {
    if (isOpen) void import('./document-options.ts').then((loaded) => setLoaded(() => loaded.documentChoices));
  }, [isOpen]);
  return load?.(words) ?? [];
}

const STATES: Choice[] = [
  ['Unread', { unread: true }],
  ['Read', { unread: false }],
];
const VERDICTS: Choice[] = [
  ['Needs correction', { failed: true }],
  ['Needs no correction', { failed: false }],
];
const NOT_IDS: Choice[] = [
  ['Me', { assignee: 'me' }],
  ['Nobody', { assignee: 'none' }],
];
const ofType = (type: string): Choice => [type, { type }];
const ofSegment = (segment: string): Choice => [segment, { segment }];

const typesOf = (contacts: Contact[]): string[] => contacts.flatMap(({ activity }) => activity.types);

function useKnown(
  words: string,
  isOpen: boolean,
  rows: ThreadRow[],
): Record<'parties' | 'types' | 'labels' | 'workers' | 'segments', Choice[]> {
  const q = useDebouncedValue(words.replace(/^@/, '').slice(0, 64), TYPING_MS);
  const contacts = useReading(
    'GET /v1/contacts',
    { query: { limit: CONTACTS_READ, sort: 'activity', ...(q !== '' && { q }) } },
    { enabled: isOpen },
  );
  // The service does not list types and segments, so those of the busiest partners and of the agents here are offered.
  const partners = useReading('GET /v1/contacts', { query: { limit: PARTNERS_READ, sort: 'activity' } }, { enabled: isOpen });
  const agents = useReading('GET /v1/agents', { query: { limit: AGENTS_READ } }, { enabled: isOpen });
  const labels = useReading('GET /v1/threads/labels', {}, { enabled: isOpen });
  const assignees = useReading('GET /v1/threads/assignees', {}, { enabled: isOpen });
  const known = contacts.data?.data ?? [];
  const distinct = (values: (string | null)[]) => [...new Set(values)].filter((value) => value !== null);
  return {
    parties: known.map(({ party, label }) => [label || party.display_name, { with: addressOf(party).replace(/^@/, '') }, addressOf(party)]),
    types: distinct([...rows.map(({ type }) => type), ...typesOf(known), ...typesOf(partners.data?.data ?? [])]).map(ofType),
    labels: (labels.data?.data ?? []).map(({ label }) => [label, { label }]),
    workers: [...NOT_IDS, ...(assignees.data?.data ?? []).map(({ id, name }): Choice => [name, { assignee: id }])],
    segments: distinct([...rows, ...(agents.data?.data ?? [])].map(({ segment }) => segment)).map(ofSegment),
  };
}

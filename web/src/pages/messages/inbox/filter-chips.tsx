import { useNavigate } from '@tanstack/react-router';
import { ListFilter, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { retried } from '../../../api/lazy.ts';
import { useReading } from '../../../api/queries.ts';
import type { ThreadRow } from '../../../parts/threads/thread-row.ts';
import { isNarrowed, type ListSearch, type Narrowing } from '../../../parts/threads/views.ts';
import { VERBATIM } from '../../../ui/field.tsx';
import { Name } from '../../../ui/name.tsx';
import { OptionList, useOptions } from '../../../ui/options.tsx';
import { useShortcuts } from '../../../ui/shortcuts.ts';
import { useFilterOptions } from './filter-options.tsx';

const DateField = lazy(retried(async () => ({ default: (await import('../../../ui/date-field.tsx')).DateField })));

export function FilterChips({ search, rows }: { search: ListSearch; rows: ThreadRow[] }) {
  const navigate = useNavigate();
  const narrow = (narrowing: Narrowing) => void navigate({ to: '/inbox', search: { ...search, ...narrowing }, replace: true });
  return (
    <search className="flex min-h-11 flex-wrap items-center gap-1.5 border-b border-line px-4 py-1.5">
      <Chips search={search} narrow={narrow} />
      <FilterField rows={rows} narrow={narrow} isNarrowed={isNarrowed(search)} />
      {isNarrowed(search) ? (
        <button
          type="button"
          onClick={() => void navigate({ to: '/inbox', search: { view: search.view }, replace: true })}
          className="rounded px-1 text-sm text-soft hover:text-ink hover:underline"
        >
          Clear filters
        </button>
      ) : null}
    </search>
  );
}

interface FilterFieldProps {
  rows: ThreadRow[];
  narrow(narrowing: Narrowing): void;
  isNarrowed: boolean;
}

function FilterField({ rows, narrow, isNarrowed }: FilterFieldProps) {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const options = useFilterOptions({
    typed,
    isOpen,
    rows,
    narrow: (narrowing) => {
      narrow(narrowing);
      setTyped('');
      setOpen(false);
    },
  });
  const { field, list, isShown, reset } = useOptions(options, { isOpen });
  useShortcuts(useMemo(() => ({ f: () => input.current?.focus() }), []));
  return (
    <div className="relative min-w-32 grow">
      <ListFilter className="pointer-events-none absolute top-1.5 left-0 size-4 text-soft" aria-hidden />
      <input
        ref={input}
        {...field}
        {...VERBATIM}
        aria-label="Filter"
        placeholder={isNarrowed ? 'Add a filter' : 'Filter by sender, type, label, assignee…'}
        value={typed}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={({ target }) => {
          setTyped(target.value);
          setOpen(true);
          reset();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          else field.onKeyDown(event);
        }}
        className="h-7 w-full bg-transparent pr-2 pl-6 text-base outline-none"
      />
      {isShown ? (
        <div className="absolute top-full left-0 z-30 mt-1 w-96 max-w-[80vw] rounded-xl border border-line bg-paper shadow-xl">
          <OptionList {...list} label="Filters" className="max-h-96" />
        </div>
      ) : null}
    </div>
  );
}

function Chips({ search, narrow }: { search: ListSearch; narrow(narrowing: Narrowing): void }) {
  const { data: account } = useReading('GET /v1/account', {});
  const { data: assignees } = useReading('GET /v1/threads/assignees', {}, { enabled: search.assignee !== undefined });
  const nameOf = (id: string) =>
    id === 'me' || id === account?.id ? 'Me' : id === 'none' ? 'Nobody' : (assignees?.data.find((one) => one.id === id)?.name ?? id);
  const { type, label, segment, assignee, unread, failed, since, until } = search;
  const chips: [keyof Narrowing, string, ReactNode][] = [
    ['unread', 'State', unread === undefined ? undefined : unread ? 'Unread' : 'Read'],
    ['failed', 'Schema', failed === undefined ? undefined : failed ? 'Needs correction' : 'Needs no correction'],
    ['with', 'With', search.with && <Name>{search.with}</Name>],
    ['type', 'Type', type && <Name>{type}</Name>],
    ['label', 'Label', label && <Name>{label}</Name>],
    ['assignee', 'Assignee', assignee && <Name>{nameOf(assignee)}</Name>],
    ['segment', 'Segment', segment && <Name>{segment}</Name>],
    ['since', 'Since', since && <Day label="Since" value={since} onChange={(day) => narrow({ since: day })} />],
    ['until', 'Until', until && <Day label="Until" value={until} onChange={(day) => narrow({ until: day })} />],
  ];
  return chips.map(([name, label, value]) =>
    value === undefined || value === '' ? null : (
      <span key={name} className="inline-flex h-7 items-center gap-1.5 rounded-lg bg-accent-tint pl-2 text-sm text-accent">
        <span>{label}:</span>
        {/* Wider than the chip, because a calendar is larger. */}
        <span className={`font-medium ${name === 'since' || name === 'until' ? '' : 'max-w-52 truncate'}`}>{value}</span>
        <button
          type="button"
          aria-label={`Remove filter ${label}`}
          onClick={() => narrow({ [name]: undefined })}
          className="grid size-7 place-items-center rounded-lg hover:bg-hover"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      </span>
    ),
  );
}

function Day(props: { label: string; value: string; onChange(day: string): void }) {
  return (
    <Suspense fallback={<span className="tabular-nums">{props.value}</span>}>
      <DateField {...props} />
    </Suspense>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { retried } from '../../../api/lazy.ts';
import type { ThreadRow } from '../../../parts/threads/thread-row.ts';
import { isNarrowed, type ListSearch, type Narrowing } from '../../../parts/threads/views.ts';
import { VERBATIM } from '../../../ui/field.tsx';
import { OptionList, useOptions } from '../../../ui/options.tsx';
import { useShortcuts } from '../../../ui/shortcuts.ts';
import { useFilterOptions } from './filter-options.tsx';

const Chips = lazy(retried(async () => ({ default: (await import('./chips.tsx')).Chips })));

export function FilterChips({ search, rows }: { search: ListSearch; rows: ThreadRow[] }) {
  const navigate = useNavigate();
  const narrow = (narrowing: Narrowing) => void navigate({ to: '/inbox', search: { ...search, ...narrowing }, replace: true });
  return (
    <search className="flex min-h-11 flex-wrap items-center gap-1.5 border-b border-line px-4 py-1.5">
      {isNarrowed(search) ? (
        <Suspense>
          <Chips search={search} narrow={narrow} />
        </Suspense>
      ) : null}
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

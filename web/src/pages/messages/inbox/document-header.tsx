import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ListSearch } from '../../../parts/threads/views.ts';

const COLUMNS = [
  ['number', 'Number', 'asc', ''],
  ['total', 'Total', 'desc', 'justify-end'],
  ['due_date', 'Due', 'asc', 'justify-end'],
] as const;

/** The names of the columns, each a button that sorts by it: first, the other way round, not any more. Threads without the value are left out meanwhile. */
export function DocumentHeader({ search }: { search: ListSearch }) {
  const navigate = useNavigate();
  const sortBy = (sort: string | undefined, order: string | undefined) =>
    void navigate({ to: '/inbox', search: { ...search, sort, order }, replace: true });
  return (
    <fieldset aria-label="Sort by" className="flex h-full items-center justify-end border-b border-line pr-4 text-xs text-soft">
      <span className="grid w-100 grid-cols-[8rem_8rem_7rem] gap-x-4">
        {COLUMNS.map(([sort, name, first, place]) => {
          const order = search.sort === sort ? (search.order ?? first) : undefined;
          const other = first === 'asc' ? 'desc' : 'asc';
          const next = () =>
            order === undefined ? sortBy(sort, first) : order === first ? sortBy(sort, other) : sortBy(undefined, undefined);
          const Arrow = order === 'asc' ? ArrowUp : ArrowDown;
          return (
            <button
              key={sort}
              type="button"
              aria-pressed={order !== undefined}
              onClick={next}
              title={order === undefined ? `Sort by ${name.toLowerCase()}` : undefined}
              className={`flex items-center gap-1 rounded hover:text-ink ${place} ${order === undefined ? '' : 'font-medium text-ink'}`}
            >
              {name}
              {order === undefined ? null : <Arrow className="size-3" aria-label={order === 'asc' ? 'lowest first' : 'highest first'} />}
            </button>
          );
        })}
      </span>
      <span className="ml-4 w-32 text-right">Last message</span>
    </fieldset>
  );
}

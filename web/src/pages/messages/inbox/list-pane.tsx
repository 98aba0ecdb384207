import { lazy, type ReactNode, type Ref, Suspense, useEffect } from 'react';
import { retried } from '../../../api/lazy.ts';
import type { ListSearch } from '../../../parts/threads/views.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { useIsWide } from '../../../ui/media.ts';
import { Empty, ErrorNote, Loading } from '../../../ui/states.tsx';
import type { Work } from '../work/use-work.ts';
import { FilterChips } from './filter-chips.tsx';
import { ListHeader } from './list-header.tsx';
import { type RowsHandle, ThreadRows } from './thread-rows.tsx';
import type { ThreadsOf } from './use-threads.ts';

const NoThreads = lazy(retried(async () => ({ default: (await import('./no-threads.tsx')).NoThreads })));
const DocumentHeader = lazy(retried(async () => ({ default: (await import('./document-header.tsx')).DocumentHeader })));
const BulkBar = lazy(retried(async () => ({ default: (await import('../work/bulk-bar.tsx')).BulkBar })));

interface ListPaneProps {
  handle: Ref<RowsHandle>;
  search: ListSearch;
  threads: ThreadsOf;
  openId: string | undefined;
  selected: ReadonlySet<string>;
  onCursor(id: string): void;
  onSelect(id: string, isRange: boolean): void;
  onSelectAll(ids: readonly string[]): void;
  work: Work;
}

const PLACE = {
  alone: 'flex h-[calc(100dvh-3.5rem)] lg:h-dvh',
  beside: 'hidden border-r border-line xl:fixed xl:inset-y-0 xl:left-60 xl:flex xl:w-104 2xl:w-120',
};

export function ListPane(props: ListPaneProps) {
  const { search, threads, openId, selected, onSelectAll, work } = props;
  const isWide = useIsWide();
  const isBeside = openId !== undefined;
  const ids = threads.list.items.map(({ id }) => id);
  const chips = <FilterChips search={search} rows={threads.list.items} />;
  return (
    <section
      aria-label="List of threads"
      data-fills-window={isBeside ? undefined : ''}
      className={`flex-col bg-paper ${isBeside ? `${PLACE.beside} print:hidden` : PLACE.alone}`}
    >
      <ListHeader search={search} filter={threads.filter} isBeside={isBeside} />
      {selected.size > 0 ? (
        <Suspense fallback={chips}>
          <BulkBar ids={[...selected]} all={ids} work={work} onSelectAll={onSelectAll} isShort={isBeside || !isWide} />
        </Suspense>
      ) : (
        chips
      )}
      {isBeside ? null : (
        <div className="hidden h-8 shrink-0 min-[1440px]:block">
          <Suspense>
            <DocumentHeader search={search} />
          </Suspense>
        </div>
      )}
      <Content {...props} isCompact={isBeside || !isWide} />
    </section>
  );
}

function Content({ search, threads, isCompact, ...rest }: ListPaneProps & { isCompact: boolean }) {
  const { list, hasNoView } = threads;
  // An empty page need not be the last one.
  const isLooking = list.items.length === 0 && list.hasMore;
  useEffect(() => {
    if (isLooking && !list.isFetchingMore) list.more();
  }, [isLooking, list]);
  if (hasNoView)
    return (
      <Padded>
        <Empty title="View not found">
          <p className="mb-4">It was deleted, or belongs to somebody else.</p>
          <ButtonLink to="/inbox" search={{}}>
            Go to open threads
          </ButtonLink>
        </Empty>
      </Padded>
    );
  if (list.error)
    return (
      <Padded>
        <ErrorNote error={list.error} onRetry={list.retry} />
      </Padded>
    );
  if (list.isPending || isLooking)
    return (
      <Padded>
        <Loading rows={8} label="Loading threads" />
      </Padded>
    );
  if (list.items.length === 0)
    return (
      <Padded>
        <Suspense>
          <NoThreads search={search} />
        </Suspense>
      </Padded>
    );
  return <ThreadRows {...rest} list={list} isCompact={isCompact} isOfSent={search.view === 'sent'} />;
}

function Padded({ children }: { children: ReactNode }) {
  return <div className="min-h-0 grow overflow-y-auto px-4 py-2">{children}</div>;
}

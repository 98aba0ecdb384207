import { Link, useMatch } from '@tanstack/react-router';
import { BadgeX, Bookmark, CheckCheck, Inbox, Layers, type LucideIcon, Send, UserRound, UserRoundX, UsersRound } from 'lucide-react';
import { useReading } from '../api/queries.ts';
import { useShownList } from '../parts/threads/shown-list.ts';
import { BUILT_IN, type BuiltInName, countText } from '../parts/threads/views.ts';
import { Name } from '../ui/name.tsx';
import { useUnreadInTitle } from '../ui/page-title.ts';

const ICONS: [BuiltInName, LucideIcon][] = [
  ['open', Inbox],
  ['mine', UserRound],
  ['unassigned', UserRoundX],
  ['failed', BadgeX],
  ['done', CheckCheck],
  ['sent', Send],
  ['all', Layers],
];

/** Nobody works through these threads one by one, so they have no count. */
const WITHOUT_COUNT: BuiltInName[] = ['done', 'sent', 'all'];

export function ViewsNav() {
  const { data: counts } = useReading('GET /v1/threads/counts', {});
  const { data: views } = useReading('GET /v1/views', {});
  useUnreadInTitle(counts === undefined || counts.unread.count === 0 ? '' : countText(counts.unread));
  return (
    <>
      {ICONS.map(([view, Icon]) => {
        const { name, count } = BUILT_IN[view];
        const shown = WITHOUT_COUNT.includes(view) ? undefined : counts?.[count];
        return <ViewLink key={view} view={view} name={name} Icon={Icon} count={shown?.count ? countText(shown) : ''} />;
      })}
      {views && views.data.length > 0 ? (
        <>
          <p className="mt-3 mb-1 px-2.5 text-xs font-medium text-soft">Views</p>
          {views.data.map(({ id, name, shared, threads }) => (
            <ViewLink
              key={id}
              view={id}
              name={name}
              Icon={shared ? UsersRound : Bookmark}
              count={threads.count > 0 ? countText(threads) : ''}
            />
          ))}
        </>
      ) : null}
    </>
  );
}

interface ViewLinkProps {
  view: string;
  name: string;
  Icon: LucideIcon;
  count: string;
}

function ViewLink({ view, name, Icon, count }: ViewLinkProps) {
  const { view: shown = 'open' } = useShownList();
  const isShown = useMatch({ from: '/app/mailbox', shouldThrow: false }) !== undefined && shown === view;
  return (
    <Link
      to="/inbox"
      search={view === 'open' ? {} : { view }}
      activeOptions={{ exact: true, includeSearch: true }}
      // The view is also marked while it is filtered, or one of its threads is open.
      aria-current={isShown ? 'page' : undefined}
      className="flex h-8 shrink-0 items-center gap-2.5 rounded-lg px-2.5 text-soft transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <Icon className="size-4 shrink-0" aria-hidden />
      <Name className="min-w-0 grow truncate">{name}</Name>
      {count === '' ? null : <span className="text-xs tabular-nums">{count}</span>}
    </Link>
  );
}

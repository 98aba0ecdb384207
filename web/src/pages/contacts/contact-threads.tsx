import { Link } from '@tanstack/react-router';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Badge, Time } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';

export function ContactThreads({ address }: { address: string }) {
  const list = useList('GET /v1/threads', { query: { with: address } });
  if (list.error) return <ErrorNote error={list.error} onRetry={list.retry} />;
  if (list.isPending) return <Loading rows={3} label="Loading threads" />;
  if (list.items.length === 0 && !list.hasMore) return <p className="text-soft">No threads yet.</p>;
  return (
    <>
      <ul aria-label="Threads" className="divide-y divide-line overflow-hidden rounded-xl border border-line">
        {list.items.map(({ id, subject, message_count, unread_count, status, updated_at }) => (
          <li key={id}>
            <Link
              to="/threads/$id"
              params={{ id }}
              className="grid grid-cols-[1fr_auto] items-center gap-x-4 px-4 py-2.5 -outline-offset-2 hover:bg-tint"
            >
              <span className={`min-w-0 truncate ${unread_count > 0 ? 'font-semibold' : ''}`}>
                {subject === null ? <span className="text-soft">No subject</span> : <Name>{subject}</Name>}
              </span>
              <span className="text-right text-sm text-soft">
                <Time at={updated_at} />
              </span>
              <span className="flex items-center gap-2 text-sm text-soft">
                {number(message_count)} {message_count === 1 ? 'message' : 'messages'}
                {unread_count > 0 ? <Badge tone="accent">{number(unread_count)} new</Badge> : null}
                {status === 'done' ? <Badge tone="good">Done</Badge> : null}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {list.hasMore ? (
        <Button look="quiet" className="mt-2" isBusy={list.isFetchingMore} onClick={list.more}>
          Show more
        </Button>
      ) : null}
    </>
  );
}

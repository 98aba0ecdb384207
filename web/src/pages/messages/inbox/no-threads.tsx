import { Link } from '@tanstack/react-router';
import { Inbox as InboxIcon, Send } from 'lucide-react';
import { useActiveBusiness } from '../../../api/business.ts';
import { useReading } from '../../../api/queries.ts';
import { isNarrowed, type ListSearch } from '../../../parts/threads/views.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/parts.tsx';
import { Empty } from '../../../ui/states.tsx';

/** Stands in place of a list without threads. */
export function NoThreads({ search }: { search: ListSearch }) {
  const handle = useActiveBusiness() ?? '';
  const { data: counts } = useReading('GET /v1/threads/counts', {});
  if (isNarrowed(search))
    return (
      <Empty title="No results">
        <ButtonLink to="/inbox" search={{ view: search.view }} className="mt-3">
          Clear filters
        </ButtonLink>
      </Empty>
    );
  if (search.view === 'sent')
    return (
      <Empty icon={<Send className="size-6" aria-hidden />} title="No messages sent yet">
        <ButtonLink to="/compose" look="primary" className="mt-3">
          New message
        </ButtonLink>
      </Empty>
    );
  if (search.view !== undefined)
    return (
      <Empty icon={<InboxIcon className="size-6" aria-hidden />} title="No threads here">
        <Link to="/inbox" search={{ view: 'all' }} className="rounded text-accent underline">
          Show all threads
        </Link>
      </Empty>
    );
  if (counts === undefined) return null;
  if (counts.done.count > 0)
    return (
      <Empty icon={<InboxIcon className="size-6" aria-hidden />} title="All done">
        <Link to="/inbox" search={{ view: 'done' }} className="rounded text-accent underline">
          Show done threads
        </Link>
      </Empty>
    );
  return (
    <Empty icon={<InboxIcon className="size-6" aria-hidden />} title="No messages yet">
      <p className="mb-4">Other businesses write to your handle. People without a handle can use this page:</p>
      <Copyable text={`${location.origin}/@${handle}`} label="page address" />
      <ButtonLink to="/welcome" className="mt-4">
        First steps
      </ButtonLink>
    </Empty>
  );
}

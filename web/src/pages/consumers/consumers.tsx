import { Link } from '@tanstack/react-router';
import { ChevronRight, ListEnd, Plus } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../api/queries.ts';
import type { Consumer } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, PageHeader, Rows } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { counted, takesText } from './consumer-text.ts';
import { NewConsumer } from './new-consumer.tsx';

export function ConsumersPage() {
  const list = useList('GET /v1/consumers', { query: {} });
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="Consumers"
        actions={
          <Button look="primary" onClick={() => setCreating(true)} icon={<Plus className="size-4" aria-hidden />}>
            New consumer
          </Button>
        }
      >
        Your workers take incoming messages from here, as many at a time as they can handle. They need no address that is reachable from
        outside.
      </PageHeader>
      {list.error ? <ErrorNote error={list.error} onRetry={list.retry} /> : null}
      {list.isPending ? (
        <Loading rows={3} label="Loading consumers" />
      ) : list.items.length > 0 ? (
        <Rows label="Consumers">
          {list.items.map((consumer) => (
            <ConsumerRow key={consumer.name} consumer={consumer} />
          ))}
        </Rows>
      ) : list.error ? null : (
        <Empty icon={<ListEnd className="size-6" aria-hidden />} title="No consumers yet">
          <p>For programs behind a firewall, and for many workers that share one inbox.</p>
          <Button look="primary" className="mt-4" onClick={() => setCreating(true)}>
            New consumer
          </Button>
        </Empty>
      )}
      {list.hasMore ? (
        <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {isCreating ? <NewConsumer onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function ConsumerRow({ consumer }: { consumer: Consumer }) {
  const { name, lag, leased, parked } = consumer;
  return (
    <li>
      <Link
        to="/consumers/$name"
        params={{ name }}
        className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 px-4 py-3.5 -outline-offset-2 hover:bg-tint sm:grid-cols-[1fr_auto_auto]"
      >
        <span className="min-w-0">
          <span className="block truncate font-mono text-sm font-medium">{name}</span>
          <span className="block text-sm text-soft">{takesText(consumer)}</span>
        </span>
        <span className="flex flex-wrap items-center justify-end gap-1.5 max-sm:col-start-1 max-sm:row-start-2 max-sm:justify-start">
          {parked > 0 ? <Badge tone="bad">{counted(parked)} set aside</Badge> : null}
          {leased > 0 ? <Badge>{counted(leased)} in progress</Badge> : null}
          {lag > 0 ? <Badge tone="warn">{counted(lag)} waiting</Badge> : <Badge tone="good">Up to date</Badge>}
        </span>
        <ChevronRight className="size-4 text-soft max-sm:row-span-2 max-sm:row-start-1" aria-hidden />
      </Link>
    </li>
  );
}

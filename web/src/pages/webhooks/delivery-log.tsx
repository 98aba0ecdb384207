import { useState } from 'react';
import type { List } from '../../api/queries.ts';
import type { Delivery } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { useNow } from '../../ui/now.ts';
import { Section, Time } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { duration } from './numbers.ts';

/** Every attempt, newest first. */
export function DeliveryLog({ log }: { log: List<Delivery> }) {
  const [openId, setOpenId] = useState<string>();
  const open = log.items.find(({ id }) => id === openId);
  return (
    <Section title="Delivery log">
      {log.error ? <ErrorNote error={log.error} onRetry={log.retry} /> : null}
      {log.isPending ? (
        <Loading rows={4} label="Loading deliveries" />
      ) : log.items.length > 0 ? (
        <ul aria-label="Deliveries" className="divide-y divide-line overflow-hidden rounded-xl border border-line">
          {log.items.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} onOpen={() => setOpenId(delivery.id)} />
          ))}
        </ul>
      ) : log.error ? null : (
        <Empty title="No deliveries yet">Send a test, or wait for a message. Attempts are listed for 30 days.</Empty>
      )}
      {log.hasMore ? (
        <Button className="mt-4" onClick={log.more} isBusy={log.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {open ? <DeliveryDialog delivery={open} onClose={() => setOpenId(undefined)} /> : null}
    </Section>
  );
}

function DeliveryRow({ delivery, onOpen }: { delivery: Delivery; onOpen(): void }) {
  const { status, event, attempt, error, created_at, attempted_at } = delivery;
  return (
    <li>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={onOpen}
        className="grid w-full grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 px-4 py-2.5 text-left -outline-offset-2 hover:bg-tint sm:grid-cols-[8.5rem_9rem_1fr_auto]"
      >
        <span>
          <DeliveryState status={status} />
        </span>
        <span className="max-sm:col-start-1 max-sm:row-start-2">
          {event === 'message.test' ? 'Test' : 'Message'}
          <span className="text-soft">{event === 'message.test' ? '' : `, attempt ${attempt}`}</span>
        </span>
        <span className="min-w-0 truncate text-sm text-soft max-sm:col-span-2 max-sm:row-start-3">
          <ResponseText delivery={delivery} />
          {error !== null ? <bdi title={error}>{error}</bdi> : null}
        </span>
        <span className="text-sm text-soft max-sm:col-start-2 max-sm:row-start-1">
          <Time at={attempted_at ?? created_at} />
        </span>
      </button>
    </li>
  );
}

function ResponseText({ delivery: { status, status_code, response_ms, next_attempt_at } }: { delivery: Delivery }) {
  const now = useNow();
  if (status === 'pending')
    return next_attempt_at === null || Date.parse(next_attempt_at) <= now ? (
      'Due now'
    ) : (
      <>
        Due <Time at={next_attempt_at} />
      </>
    );
  const parts = [status_code === null ? undefined : String(status_code), response_ms === null ? undefined : duration(response_ms)];
  return <span className="mr-2 tabular-nums">{parts.filter((part) => part !== undefined).join(' · ')}</span>;
}

import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { PLACE_MAX_CHARS } from '../../api/limits.ts';
import type { WebhookMessage } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField, VERBATIM } from '../../ui/field.tsx';
import { duration } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { useNow } from '../../ui/now.ts';
import { Rows, Section, Time } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { type LogFilters, useDeliveries } from './deliveries.ts';
import { DeliveryState, nameOfState } from './delivery-state.tsx';
import { nameOfEvent } from './events.tsx';

const STATES = ['pending', 'delivered', 'retrying', 'dropped', 'failed'] as const;
const HOUR_MS = 3_600_000;
const PERIODS = [
  { label: 'Any time', ms: 0 },
  { label: 'Last hour', ms: HOUR_MS },
  { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
] as const;

export function DeliveryLog({ id }: { id: string }) {
  const [filters, setFilters] = useState<LogFilters>({});
  const log = useDeliveries(id, filters);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Section title="Delivery log" actions={<Filters onChange={setFilters} />}>
      {log.error ? <ErrorNote error={log.error} onRetry={log.retry} /> : null}
      {log.isPending ? (
        <Loading rows={4} label="Loading deliveries" />
      ) : log.items.length > 0 ? (
        <Rows label="Deliveries">
          {log.items.map((delivery) => (
            <DeliveryRow key={delivery.event_id} delivery={delivery} />
          ))}
        </Rows>
      ) : log.error ? null : isFiltered ? (
        <Empty title="No results">{log.hasMore ? 'Older entries have not been searched yet.' : 'No delivery matches these filters.'}</Empty>
      ) : (
        <Empty title="No deliveries yet">Send a test, or wait for a message. Deliveries are listed for 30 days.</Empty>
      )}
      {log.hasMore ? (
        <Button className="mt-4" onClick={log.more} isBusy={log.isFetchingMore}>
          {isFiltered && log.items.length === 0 ? 'Search older entries' : 'Show more'}
        </Button>
      ) : null}
    </Section>
  );
}

function Filters({ onChange }: { onChange(filters: LogFilters): void }) {
  const [state, setState] = useState('');
  const [period, setPeriod] = useState('0');
  const [message, setMessage] = useState('');
  const apply = (next: { state?: string; period?: string; message?: string }) => {
    const chosen = { state, period, message, ...next };
    const ms = Number(chosen.period);
    const known = STATES.find((one) => one === chosen.state);
    onChange({
      ...(known && { state: known }),
      ...(ms > 0 && { since: new Date(Date.now() - ms).toISOString() }),
      ...(chosen.message.trim() !== '' && { message: chosen.message.trim() }),
    });
  };
  return (
    <search aria-label="Deliveries" className="flex flex-wrap gap-2 max-sm:w-full">
      <Select
        label="State"
        isBare
        className="w-36 max-sm:grow"
        value={state}
        onChange={({ target: { value } }) => {
          setState(value);
          apply({ state: value });
        }}
      >
        <option value="">Any state</option>
        {STATES.map((one) => (
          <option key={one} value={one}>
            {nameOfState(one)}
          </option>
        ))}
      </Select>
      <Select
        label="Time"
        isBare
        className="w-40 max-sm:grow"
        value={period}
        onChange={({ target: { value } }) => {
          setPeriod(value);
          apply({ period: value });
        }}
      >
        {PERIODS.map(({ label, ms }) => (
          <option key={ms} value={ms}>
            {label}
          </option>
        ))}
      </Select>
      <TextField
        label="Message id"
        isBare
        type="search"
        placeholder="Message id"
        maxLength={PLACE_MAX_CHARS}
        className="sm:w-44"
        {...VERBATIM}
        value={message}
        onChange={({ target: { value } }) => {
          setMessage(value);
          apply({ message: value });
        }}
      />
    </search>
  );
}

function DeliveryRow({ delivery }: { delivery: WebhookMessage }) {
  const { webhook_id, state, next_attempt_at, latest_attempt } = delivery;
  const { error, created_at, attempted_at } = latest_attempt;
  return (
    <li>
      <Link
        to="/webhooks/$id/messages/$delivery"
        params={{ id: webhook_id, delivery: latest_attempt.id }}
        className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 px-4 py-2.5 -outline-offset-2 hover:bg-tint sm:grid-cols-[minmax(6.5rem,auto)_minmax(0,2fr)_minmax(0,1fr)_auto_auto]"
      >
        <span>
          <DeliveryState status={state} retryAt={next_attempt_at} />
        </span>
        <span className="min-w-0 truncate max-sm:col-span-2 max-sm:row-start-2">
          <What delivery={delivery} />
        </span>
        <span className="min-w-0 truncate text-sm text-soft max-sm:col-span-2 max-sm:row-start-3">
          <ResponseText delivery={delivery} />
          {error !== null ? <bdi title={error}>{error}</bdi> : null}
        </span>
        <span className="text-sm text-soft max-sm:col-start-2 max-sm:row-start-1">
          <Time at={attempted_at ?? created_at} />
        </span>
        <ChevronRight className="size-4 text-soft max-sm:hidden" aria-hidden />
      </Link>
    </li>
  );
}

/** Shows the event, the party and the attempt: “Order PO-5013 · Brightwater · attempt 3”. */
function What({ delivery: { message, latest_attempt } }: { delivery: WebhookMessage }) {
  const { event, attempt, replay } = latest_attempt;
  if (event === 'message.test') return 'Test';
  const isSent = ['message.sent', 'message.acknowledged', 'message.expired'].includes(event);
  const title = message?.subject?.trim() || message?.type;
  const parts = [event === 'message.received' && title ? '' : nameOfEvent(latest_attempt), replay && title ? 'redelivery' : ''];
  return (
    <>
      {title ? <Name>{title}</Name> : null}
      <span className={title ? 'text-soft' : ''}>
        {message ? (
          <>
            {title ? ' · ' : ''}
            <Name>{(isSent ? message.to : message.from).display_name}</Name>
          </>
        ) : null}
        {[...parts, `attempt ${attempt}`]
          .filter((part) => part !== '')
          .map((part, at) => `${at === 0 && !message ? '' : ' · '}${part}`)
          .join('')}
      </span>
    </>
  );
}

function ResponseText({ delivery: { state, next_attempt_at, latest_attempt } }: { delivery: WebhookMessage }) {
  const now = useNow();
  const { status_code, response_ms } = latest_attempt;
  if (state === 'pending')
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

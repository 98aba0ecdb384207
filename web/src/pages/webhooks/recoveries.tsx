import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { forget, useAction, useReading } from '../../api/queries.ts';
import type { Recovery } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { count, number } from '../../ui/format.ts';
import { Badge, Row, Rows, Section, Time, type Tone } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';

const SHOWN = 3;
const REFRESH_MS = 2_000;

const STATES: Record<Recovery['state'], [Tone, string]> = {
  running: ['accent', 'Running'],
  paused: ['warn', 'Paused'],
  completed: ['good', 'Completed'],
  cancelled: ['plain', 'Cancelled'],
};

export function Recoveries({ id }: { id: string }) {
  const queries = useQueryClient();
  const { data } = useReading('GET /v1/webhooks/{id}/recoveries', { path: { id }, query: { limit: SHOWN } });
  const isRunning = data?.data.some(({ state }) => state === 'running') ?? false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void forget(queries, 'GET /v1/webhooks/{id}/recoveries', 'GET /v1/webhooks/{id}/messages'), REFRESH_MS);
    return () => clearInterval(timer);
  }, [queries, isRunning]);
  if (!data || data.data.length === 0) return null;
  return (
    <Section title="Recoveries">
      <Rows label="Recoveries">
        {data.data.map((recovery) => (
          <RecoveryRow key={recovery.id} recovery={recovery} />
        ))}
      </Rows>
    </Section>
  );
}

function RecoveryRow({ recovery }: { recovery: Recovery }) {
  const { id, webhook_id, state, since, until, total, done, queued, retrying } = recovery;
  const change = useAction('PATCH /v1/webhooks/{id}/recoveries/{recovery_id}', { changes: ['GET /v1/webhooks/{id}/recoveries'] });
  const to = (wanted: 'running' | 'paused' | 'cancelled') =>
    change.mutate({ path: { id: webhook_id, recovery_id: id }, body: { state: wanted } });
  const [tone, text] = STATES[state];
  const isOpen = state === 'running' || state === 'paused';
  return (
    <Row>
      <div className="min-w-0 flex-1 basis-64">
        <p>
          <Badge tone={tone}>{text}</Badge> {count(queued, 'message')} queued
          {retrying > 0 ? `, ${number(retrying)} still being retried` : ''}
        </p>
        <p className="text-sm text-soft">
          {number(done)} of {total === null ? 'more than 100,000' : number(total)} looked at · from <Time at={since} isExact /> to{' '}
          <Time at={until} isExact />
        </p>
        {isOpen && total !== null && total > 0 ? <Progress done={done} total={total} /> : null}
        {change.error ? <ErrorNote error={change.error} /> : null}
      </div>
      {isOpen ? (
        <div className="flex gap-2">
          <Button look="quiet" onClick={() => to('cancelled')}>
            Cancel recovery
          </Button>
          <Button isBusy={change.isPending} onClick={() => to(state === 'running' ? 'paused' : 'running')}>
            {state === 'running' ? 'Pause recovery' : 'Continue recovery'}
          </Button>
        </div>
      ) : null}
    </Row>
  );
}

function Progress({ done, total }: { done: number; total: number }) {
  const share = Math.min(100, Math.round((100 * done) / total));
  return (
    <div
      role="progressbar"
      aria-label="Progress of the recovery"
      aria-valuenow={share}
      aria-valuemin={0}
      aria-valuemax={100}
      className="mt-2 h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div className="h-full bg-accent" style={{ width: `${share}%` }} />
    </div>
  );
}

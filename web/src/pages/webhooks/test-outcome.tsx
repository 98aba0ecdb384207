import { type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react';
import { useCallback } from 'react';
import type { WaybillError } from '../../api/client.ts';
import { forget, useReading } from '../../api/queries.ts';
import { duration } from '../../ui/format.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { useReloadWhenDue } from './reload-when-due.ts';

interface TestOutcomeProps<Input> {
  id: string;
  test: UseMutationResult<{ job_id: string }, WaybillError, Input>;
}

export function TestOutcome<Input>({ id, test: { data, error } }: TestOutcomeProps<Input>) {
  if (error) return <ErrorNote error={error} />;
  return (
    <div role="status" className="mb-6 empty:hidden">
      {/* The id of the attempt is that of its job. */}
      {data === undefined ? null : <Outcome key={data.job_id} id={id} attemptId={data.job_id.replace(/^job_/, 'dlv_')} />}
    </div>
  );
}

const DELIVERY = 'GET /v1/webhooks/{id}/messages/{message_id}';

function Outcome({ id, attemptId }: { id: string; attemptId: string }) {
  const found = useReading(DELIVERY, { path: { id, message_id: attemptId } });
  const queries = useQueryClient();
  const reload = useCallback(() => void forget(queries, DELIVERY, 'GET /v1/webhooks/{id}/messages'), [queries]);
  const attempts = found.data?.attempts ?? [];
  useReloadWhenDue(attempts, found.isFetching, reload);
  const [attempt] = attempts;
  if (!attempt || attempt.status === 'pending')
    return (
      <p className="flex items-center gap-3 rounded-lg bg-tint px-4 py-3 text-soft">
        <LoaderCircle className="size-4 animate-spin" aria-hidden />
        Sending test. Your endpoint has 10 seconds to respond.
      </p>
    );
  if (attempt.status === 'delivered')
    return (
      <p className="flex items-center gap-3 rounded-lg bg-good-tint px-4 py-3 text-good">
        <CircleCheck className="size-4 shrink-0" aria-hidden />
        Test delivered: HTTP {attempt.status_code} after {duration(attempt.response_ms ?? 0)}.
      </p>
    );
  return (
    <p className="flex items-center gap-3 rounded-lg bg-bad-tint px-4 py-3 text-bad">
      <CircleAlert className="size-4 shrink-0" aria-hidden />
      <span className="min-w-0">
        Test failed: <bdi>{attempt.error}</bdi>
      </span>
    </p>
  );
}

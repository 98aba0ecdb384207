import type { UseMutationResult } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react';
import type { ApiError } from '../../api/client.ts';
import type { List } from '../../api/queries.ts';
import type { Delivery } from '../../api/schema.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { duration } from './numbers.ts';

interface TestOutcomeProps<Input> {
  test: UseMutationResult<{ job_id: string }, ApiError, Input>;
  log: List<Delivery>;
}

/** The result of the test that was last sent from this page. */
export function TestOutcome<Input>({ test: { data, error }, log }: TestOutcomeProps<Input>) {
  if (error) return <ErrorNote error={error} />;
  // The attempt's id is that of the job.
  const id = data?.job_id.replace(/^job_/, 'dlv_');
  const delivery = log.items.find((one) => one.id === id);
  return (
    <div role="status" className="mb-6 empty:hidden">
      {id === undefined ? null : !delivery || delivery.status === 'pending' ? (
        <p className="flex items-center gap-3 rounded-lg bg-tint px-4 py-3 text-soft">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
          Sending test. Your endpoint has 10 seconds to respond.
        </p>
      ) : delivery.status === 'delivered' ? (
        <p className="flex items-center gap-3 rounded-lg bg-good-tint px-4 py-3 text-good">
          <CircleCheck className="size-4 shrink-0" aria-hidden />
          Test delivered: HTTP {delivery.status_code} after {duration(delivery.response_ms ?? 0)}.
        </p>
      ) : (
        <p className="flex items-center gap-3 rounded-lg bg-bad-tint px-4 py-3 text-bad">
          <CircleAlert className="size-4 shrink-0" aria-hidden />
          <span className="min-w-0">
            Test failed: <bdi>{delivery.error}</bdi>
          </span>
        </p>
      )}
    </div>
  );
}

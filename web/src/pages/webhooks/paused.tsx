import { CirclePause } from 'lucide-react';
import { useAction } from '../../api/queries.ts';
import type { Webhook } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';

/** Says why a webhook is paused and what happens meanwhile, and resumes it. */
export function Paused({ id, pause: { reason, since } }: { id: string; pause: NonNullable<Webhook['pause']> }) {
  const resume = useAction('PATCH /v1/webhooks/{id}', { changes: ['GET /v1/webhooks', 'GET /v1/webhooks/{id}'] });
  const onResumed = () => say('The webhook is active.');
  return (
    <>
      <section aria-label="Paused" className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-warn-tint px-4 py-3 text-warn">
        <CirclePause className="size-4 shrink-0" aria-hidden />
        <p className="min-w-0 flex-1 basis-72">
          {reason === 'never_succeeded' ? 'Paused, because many attempts failed and none has ever succeeded' : 'Paused'} (
          <Time at={since} />
          ). New messages stay in your inbox. {reason === 'never_succeeded' ? 'Repair the endpoint, then resume: ' : 'Once resumed, '}
          what waits in the log is sent.
        </p>
        <Button isBusy={resume.isPending} onClick={() => resume.mutate({ path: { id }, body: { active: true } }, { onSuccess: onResumed })}>
          Resume
        </Button>
      </section>
      {resume.error ? <ErrorNote error={resume.error} /> : null}
    </>
  );
}

import { CirclePause } from 'lucide-react';
import { useAction } from '../../api/queries.ts';
import type { Webhook } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';

type Pause = NonNullable<Webhook['pause']>;

const WHY: Record<Pause['reason'], string> = {
  never_succeeded: ', because all of its many attempts failed',
  failing: ', because all of its attempts failed for days',
  gone: ', because the endpoint responded 410 Gone',
  requested: '',
};

/** Why a webhook is paused, and the button to resume it. */
export function Paused({ id, pause: { reason, since } }: { id: string; pause: Pause }) {
  const resume = useAction('PATCH /v1/webhooks/{id}', { changes: ['GET /v1/webhooks', 'GET /v1/webhooks/{id}'] });
  const onResumed = () => say('Webhook resumed');
  return (
    <>
      <section aria-label="Paused" className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-warn-tint px-4 py-3 text-warn">
        <CirclePause className="size-4 shrink-0" aria-hidden />
        <p className="min-w-0 flex-1 basis-72">
          Paused <Time at={since} />
          {WHY[reason]}. New messages stay in your inbox.{' '}
          {reason === 'requested' ? 'Resume to send pending deliveries.' : 'Fix the endpoint, then resume to send pending deliveries.'}
        </p>
        <Button isBusy={resume.isPending} onClick={() => resume.mutate({ path: { id }, body: { active: true } }, { onSuccess: onResumed })}>
          Resume
        </Button>
      </section>
      {resume.error ? <ErrorNote error={resume.error} /> : null}
    </>
  );
}

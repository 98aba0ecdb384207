import { CirclePause, TriangleAlert } from 'lucide-react';
import type { Webhook } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/parts.tsx';

type Pause = NonNullable<Webhook['pause']>;

const WHY: Record<Pause['reason'], string> = {
  never_succeeded: ', because all of its many attempts failed',
  failing: ', because all of its attempts failed for days',
  gone: ', because the endpoint responded 410 Gone',
  requested: '',
};

export function Paused({ pause: { reason, since }, onResume }: { pause: Pause; onResume(): void }) {
  return (
    <section aria-label="Paused" className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-warn-tint px-4 py-3 text-warn">
      <CirclePause className="size-4 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1 basis-72">
        Paused <Time at={since} />
        {WHY[reason]}. New messages stay in your inbox.{' '}
        {reason === 'requested' ? 'Resume to send pending deliveries.' : 'Fix the endpoint, then resume to send pending deliveries.'}
      </p>
      <Button onClick={onResume}>Resume</Button>
    </section>
  );
}

export function Failing({ since }: { since: string }) {
  return (
    <section aria-label="Failing" className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-bad-tint px-4 py-3 text-bad">
      <TriangleAlert className="size-4 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1 basis-72">
        No attempt has succeeded since <Time at={since} isExact />. The log below says why. If this goes on for days, the webhook is paused.
      </p>
    </section>
  );
}

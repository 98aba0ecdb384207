import { useReading } from '../api/queries.ts';
import type { Webhook } from '../api/schema.ts';
import { useNow } from '../ui/now.ts';

const READ = 100;
/** A failure or two is repaired by retries. */
const ALARMING_MS = 3_600_000;

/** A dot beside the webhooks while one is paused by the service, or has failed for an hour. */
export function WebhookAlarm() {
  const { data } = useReading('GET /v1/webhooks', { query: { limit: READ } });
  const now = useNow();
  const count = data?.data.filter((webhook) => needsSomebody(webhook, now)).length ?? 0;
  if (count === 0) return null;
  return (
    <span className="ml-auto size-2 rounded-full bg-bad">
      <span className="sr-only">{count === 1 ? '1 needs attention' : `${count} need attention`}</span>
    </span>
  );
}

function needsSomebody({ pause, failing_since }: Webhook, now: number): boolean {
  if (pause) return pause.reason !== 'requested';
  return failing_since !== null && now - Date.parse(failing_since) > ALARMING_MS;
}

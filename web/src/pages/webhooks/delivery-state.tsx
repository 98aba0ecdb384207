import type { Delivery } from '../../api/schema.ts';
import { clock, dayAndClock } from '../../ui/format.ts';
import { Badge, type Tone } from '../../ui/parts.tsx';

type State = Delivery['status'];

const STATES: Record<State, [tone: Tone, name: string, meaning: string]> = {
  pending: ['plain', 'Pending', 'The attempt is queued.'],
  delivered: ['good', 'Delivered', 'Your endpoint accepted it.'],
  retrying: ['warn', 'Failed, will retry', 'The latest attempt failed. It will be retried.'],
  dropped: ['bad', 'Dropped', 'The last attempt failed. The message is still in your inbox.'],
  failed: ['bad', 'Failed', 'It is not retried: it was a test, or your endpoint responded 410.'],
};

export function DeliveryState({ status, retryAt = null }: { status: State; retryAt?: string | null }) {
  const [tone, name] = STATES[status];
  return <Badge tone={tone}>{status === 'retrying' && retryAt !== null ? `Failed, retry at ${retryTime(new Date(retryAt))}` : name}</Badge>;
}

function retryTime(time: Date): string {
  return (time.toDateString() === new Date().toDateString() ? clock : dayAndClock)(time);
}

export const meaningOf = (state: State): string => STATES[state][2];
export const nameOfState = (state: State): string => STATES[state][1];

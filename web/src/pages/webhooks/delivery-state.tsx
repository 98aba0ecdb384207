import type { Delivery } from '../../api/schema.ts';
import { Badge, type Tone } from '../../ui/parts.tsx';

const STATES: Record<Delivery['status'], [tone: Tone, name: string]> = {
  pending: ['plain', 'Pending'],
  delivered: ['good', 'Delivered'],
  retrying: ['warn', 'Retrying'],
  dropped: ['bad', 'Dropped'],
  failed: ['bad', 'Failed'],
};

export function DeliveryState({ status }: { status: Delivery['status'] }) {
  const [tone, name] = STATES[status];
  return <Badge tone={tone}>{name}</Badge>;
}

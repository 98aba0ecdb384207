import { useReading } from '../../api/queries.ts';
import type { Actor } from '../../api/schema.ts';

export type Sender = Pick<Actor, 'id' | 'name' | 'email'>;

const RECENT_MESSAGES = 30;

export function useSenders(): Sender[] {
  const { data } = useReading('GET /v1/inbox', { query: { limit: RECENT_MESSAGES, include: 'summary' } });
  const actors = data?.data.map(({ from }) => from.actor).filter(({ kind }) => kind !== 'agent') ?? [];
  return [...new Map(actors.map(({ id, name, email }) => [id, { id, name, email }])).values()];
}

import { useReading } from '../../api/queries.ts';
import type { Actor } from '../../api/schema.ts';

export type Sender = Pick<Actor, 'id' | 'name' | 'email'>;

const LOOKED_AT = 30;

/** The people and mailboxes that wrote lately, so that ids have names. */
export function useSenders(): Sender[] {
  const { data } = useReading('GET /v1/inbox', { query: { limit: LOOKED_AT, include: 'summary' } });
  const actors = data?.data.map(({ from }) => from.actor).filter(({ kind }) => kind !== 'agent') ?? [];
  return [...new Map(actors.map(({ id, name, email }) => [id, { id, name, email }])).values()];
}

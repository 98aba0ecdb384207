import { useQuery } from '@tanstack/react-query';
import { useActiveBusiness } from '../../api/business.ts';
import { call } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import type { Actor, Member } from '../../api/schema.ts';

const PAGE_MEMBERS = 200;
const PAGES_MAX = 10;

/** Tells of an actor that has sent for your business whether it is outside of your team. Nobody is while that is not known. */
export function useOutsiders(): (actor: Actor) => boolean {
  const business = useActiveBusiness();
  const { data: members } = useQuery({ queryKey: [...keyOf('GET /v1/members', { query: {} }), 'all', business], queryFn: readMembers });
  return ({ kind, id, email }) =>
    kind !== 'agent' && members !== undefined && !members.some((member) => member.id === id || (email !== null && member.email === email));
}

async function readMembers(): Promise<Member[]> {
  const members: Member[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { data, next_cursor } = await call('GET /v1/members', { query: { limit: PAGE_MEMBERS, cursor } });
    members.push(...data);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return members;
}

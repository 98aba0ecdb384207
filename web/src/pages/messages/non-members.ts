import { useQuery } from '@tanstack/react-query';
import { useActiveBusiness } from '../../api/business.ts';
import { call } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';
import type { Actor, Member } from '../../api/schema.ts';

const PAGE_MEMBERS = 200;
const PAGES_MAX = 10;

/** Whether a sender for your business is not one of its members. False until the members are loaded. */
export function useNonMembers(): (actor: Actor) => boolean {
  const business = useActiveBusiness();
  const { data: members } = useQuery({ queryKey: [...keyOf('GET /v1/members', { query: {} }), 'all', business], queryFn: loadMembers });
  return ({ kind, id, email }) =>
    kind !== 'agent' && members !== undefined && !members.some((member) => member.id === id || (email !== null && member.email === email));
}

async function loadMembers(): Promise<Member[]> {
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

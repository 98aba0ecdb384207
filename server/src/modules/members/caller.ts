import { formatId } from '../../contract/ids.ts';
import { parseHandle } from '../../contract/names.ts';
import type { ActorView, Caller } from '../../contract/parties.ts';
import type { Person } from '../../contract/people.ts';
import { findMember, type MemberServices } from './members.ts';

/** Returns undefined when the person is not a member. Not cached, so that a removed member loses access at once. */
export async function callerOf(services: MemberServices, person: Person, handle: string): Promise<Caller | undefined> {
  const business = await services.parties.byHandle(parseHandle(handle) ?? '');
  const member = business && (await findMember(services.database, business.id, person.id));
  if (!business || !member) return undefined;
  const { role, segment, joinedAt } = member;
  const by = { kind: 'member', person, role, segment, joinedAt } as const;
  return { business, actor: personActor(person), scope: 'read_write', countedAs: person.id, by };
}

export function personActor({ id, name, email, proves, provider }: Person): ActorView {
  return { kind: 'person', id: formatId('usr', id), name, email, verified: proves !== 'nothing', provider };
}

import { Refusal } from '../../contract/errors.ts';
import { BUSINESSES_PER_PERSON_MAX, CLAIMS_PER_PERSON_AND_MONTH_MAX } from '../../contract/limits.ts';
import { mayActAs, ROLES, type Role } from '../../contract/members.ts';
import type { Business } from '../../contract/parties.ts';
import type { Person } from '../../contract/people.ts';
import type { ConsumerMail } from '../../platform/mail/consumer-mail.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { assignSegment, checkedSegment, refusingTakenSegment } from '../agents/segments.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { partyNameOfMailbox } from '../parties/unclaimed.ts';
import { voidInvitations } from './invitation-store.ts';
import * as store from './store.ts';

export type { Member } from './store.ts';

export interface MemberServices {
  database: Database;
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
}

export const { adminEmails, businessesOf, findMember, listMembers, ownerEmails } = store;

/** The person becomes the owner. Messages that the person has exchanged without a handle join the business. */
export function claimBusiness(services: MemberServices, person: Person, handle: string, displayName: string): Promise<Business> {
  return services.parties.create(handle, displayName, true, async (tx, business) => {
    await store.lockPerson(tx, person.id);
    if ((await store.countOwned(tx, person.id)) >= BUSINESSES_PER_PERSON_MAX)
      throw new Refusal('conflict', `A person can own ${BUSINESSES_PER_PERSON_MAX} businesses at most.`);
    // Claims count even if the business has another owner now.
    if ((await store.noteClaim(tx, business.id, person.id)) > CLAIMS_PER_PERSON_AND_MONTH_MAX)
      throw new Refusal('conflict', `A person can claim ${CLAIMS_PER_PERSON_AND_MONTH_MAX} businesses in 30 days at most.`);
    await store.insertMember(tx, business.id, person.id, 'owner');
    if (person.email === null) return;
    const name = partyNameOfMailbox(services, person.email);
    // A consumer mailbox brings all its history. A mailbox of an organisation brings only the threads that it began.
    await services.parties.joinHistory(tx, business, name, 'email' in name ? null : person.email);
  });
}

interface MemberChange {
  role?: Role;
  segment?: string | null;
}

/** Only an owner can make somebody an owner, or change an owner's role. */
export async function changeMember(
  { database }: MemberServices,
  business: Business,
  by: Person,
  personId: string,
  change: MemberChange,
): Promise<store.Member> {
  const segment = typeof change.segment === 'string' ? checkedSegment(change.segment) : change.segment;
  return refusingTakenSegment(segment, () =>
    database.transaction(async (tx) => {
      const role = await takeTurn(tx, business, by, 'admin');
      const member = (await store.findMember(tx, business.id, personId)) ?? noSuchMember();
      if (change.role !== undefined && change.role !== member.role) {
        if (change.role === 'owner' || member.role === 'owner') refuseUnless(role, 'owner');
        if (member.role === 'owner') await refuseLastOwner(tx, business);
        await store.updateRole(tx, business.id, personId, change.role);
        await voidBeyond(tx, business, personId, change.role);
      }
      if (segment !== undefined) await assignSegment(tx, business.id, { personId }, segment);
      return (await store.findMember(tx, business.id, personId)) ?? noSuchMember();
    }),
  );
}

export async function removeMember({ database }: MemberServices, business: Business, by: Person, personId: string): Promise<void> {
  await database.transaction(async (tx) => {
    const role = await takeTurn(tx, business, by, personId === by.id ? 'member' : 'admin');
    const member = (await store.findMember(tx, business.id, personId)) ?? noSuchMember();
    if (member.role === 'owner') {
      refuseUnless(role, 'owner');
      await refuseLastOwner(tx, business);
    }
    await store.deleteMember(tx, business.id, personId);
    await voidBeyond(tx, business, personId, undefined);
  });
}

/**
 * An invitation ends when its inviter loses the right to it. So does the login of a program when the person who allowed it can't create
 * keys any more. Acceptances and programs take the same lock, so none can come in between.
 */
async function voidBeyond(tx: Queryable, business: Business, personId: string, role: Role | undefined): Promise<void> {
  const mayInvite = (invited: Role) => role !== undefined && mayActAs(role, 'admin') && mayActAs(role, invited);
  const beyond = ROLES.filter((invited) => !mayInvite(invited));
  await voidInvitations(tx, business.id, personId, beyond);
  if (role === undefined || !mayActAs(role, 'admin')) await store.voidDeviceLogins(tx, business.id, personId);
}

/** Serializes changes of a business's members. Checks the role again, because the person may have lost it while waiting. */
export async function takeTurn(tx: Queryable, business: Business, by: Person, wanted: Role): Promise<Role> {
  const member = await lockMember(tx, business, by.id);
  if (!member) throw new Refusal('forbidden', 'You are not a member of that business.');
  refuseUnless(member.role, wanted);
  return member.role;
}

export async function lockMember(tx: Queryable, business: Business, personId: string): Promise<store.Member | undefined> {
  await store.lockMembers(tx, business.id);
  return store.findMember(tx, business.id, personId);
}

export function refuseUnless(role: Role, wanted: Role): void {
  if (!mayActAs(role, wanted))
    throw new Refusal('forbidden', wanted === 'owner' ? 'Only an owner can do that.' : 'Only an admin or owner can do that.');
}

async function refuseLastOwner(tx: Queryable, business: Business): Promise<void> {
  if ((await store.countOwners(tx, business.id)) <= 1)
    throw new Refusal('conflict', 'A business needs an owner; make another member an owner first.');
}

function noSuchMember(): never {
  throw new Refusal('not_found', 'The member was not found.');
}

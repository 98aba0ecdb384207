import { createHash, randomBytes } from 'node:crypto';
import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { INVITATION_LIFETIME_DAYS, MEMBERS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { parseEmail } from '../../contract/mail-names.ts';
import type { Role } from '../../contract/members.ts';
import { type Business, isBusiness } from '../../contract/parties.ts';
import type { Person } from '../../contract/people.ts';
import { assignSegment, checkedSegment, refusingTakenSegment } from '../agents/segments.ts';
import type { Mails } from '../mail/mails.ts';
import { invitationMail } from '../mail/templates.ts';
import * as store from './invitation-store.ts';
import type { MemberServices } from './members.ts';
import { countPeople, findMember, insertMember, lockMembers } from './store.ts';

export type { Invitation } from './invitation-store.ts';
export { listInvitations } from './invitation-store.ts';

export interface InvitationServices extends MemberServices {
  mails: Pick<Mails, 'queue'>;
  publicUrl: string;
}

const TOKEN_BYTES = 24;

/** The mail is queued with the invitation: there is never one without the other. */
export async function invite(
  { database, mails, publicUrl }: InvitationServices,
  business: Business,
  by: { role: Role; name: string },
  given: { email: string; role: Role; segment?: string | null },
): Promise<store.Invitation> {
  const email = parseEmail(given.email);
  if (email === undefined) throw invalid([{ path: '/email', message: 'must be an e-mail address' }]);
  if (given.role === 'owner' && by.role !== 'owner') throw new Refusal('forbidden', 'Only an owner can do that.');
  const segment = given.segment == null ? null : checkedSegment(given.segment);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return database.transaction(async (tx) => {
    await lockMembers(tx, business.id);
    if ((await countPeople(tx, business.id)) >= MEMBERS_PER_BUSINESS_MAX)
      throw new Refusal('conflict', `A business can have ${MEMBERS_PER_BUSINESS_MAX} members at most.`);
    const invitation = await store.upsertInvitation(tx, business.id, {
      ...{ id: newUuid(), email, role: given.role, segment, tokenHash: hashOf(token), days: INVITATION_LIFETIME_DAYS },
    });
    const mail = invitationMail({ businessName: business.displayName, inviter: by.name, url: `${publicUrl}/invitations/${token}` });
    await mails.queue(tx, { to: email, ...mail });
    return invitation;
  });
}

export async function withdraw({ database }: MemberServices, business: Business, id: string): Promise<void> {
  if (!(await store.deleteInvitation(database, business.id, id))) noSuchInvitation();
}

/** What an invited person is shown before accepting. */
export async function readInvitation(
  services: MemberServices,
  token: string,
): Promise<{ invitation: store.Invitation; business: Business }> {
  const invitation = (await store.findInvitation(services.database, hashOf(token))) ?? noSuchInvitation();
  const business = await services.parties.byId(invitation.partyId);
  return business && isBusiness(business) ? { invitation, business } : noSuchInvitation();
}

/** For the holder of the mailbox alone: a mail that was passed on makes nobody else a member. */
export async function accept(services: MemberServices, person: Person, token: string): Promise<Business> {
  const { invitation, business } = await readInvitation(services, token);
  if (person.email !== invitation.email)
    throw new Refusal('forbidden', `The invitation is for ${invitation.email}; sign in with a code that is sent there.`);
  await refusingTakenSegment(invitation.segment, () =>
    services.database.transaction(async (tx) => {
      await lockMembers(tx, business.id);
      if (!(await store.deleteInvitation(tx, business.id, invitation.id))) noSuchInvitation();
      const isMember = (await findMember(tx, business.id, person.id)) !== undefined;
      if (!isMember) await insertMember(tx, business.id, person.id, invitation.role);
      if (!isMember && invitation.segment !== null) await assignSegment(tx, business.id, { personId: person.id }, invitation.segment);
    }),
  );
  return business;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function noSuchInvitation(): never {
  throw new Refusal('not_found', 'There is no such invitation, or it has expired.');
}

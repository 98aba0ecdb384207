import { createHash, randomBytes } from 'node:crypto';
import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import {
  INVITATION_AGAIN_AFTER_S,
  INVITATION_LIFETIME_DAYS,
  INVITATIONS_OPEN_PER_BUSINESS_MAX,
  INVITATIONS_PER_BUSINESS_AND_DAY_MAX,
  MEMBERS_PER_BUSINESS_MAX,
} from '../../contract/limits.ts';
import { parseEmail } from '../../contract/mail-names.ts';
import type { Role } from '../../contract/members.ts';
import { type Business, isBusiness } from '../../contract/parties.ts';
import type { Person } from '../../contract/people.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { assignSegment, checkedSegment, isSegmentTaken, refuseTakenSegment, refusingTakenSegment } from '../agents/segments.ts';
import type { Mails } from '../mail/mails.ts';
import { invitationMail } from '../mail/templates.ts';
import * as store from './invitation-store.ts';
import { type MemberServices, refuseUnless, takeTurn } from './members.ts';
import { countPeople, findMember, insertMember, isMemberByEmail, lockMembers } from './store.ts';

export type { Invitation } from './invitation-store.ts';
export { listInvitations } from './invitation-store.ts';

export interface InvitationServices extends MemberServices {
  mails: Pick<Mails, 'queue'>;
  publicUrl: string;
}

const TOKEN_BYTES = 24;

/** Queues the mail in the same transaction, so that no invitation is without a mail. */
export async function invite(
  { database, mails, publicUrl }: InvitationServices,
  business: Business,
  by: { person: Person; name: string },
  given: { email: string; role: Role; segment?: string | null },
): Promise<store.Invitation> {
  const email = parseEmail(given.email);
  if (email === undefined) throw invalid([{ path: '/email', message: 'must be an e-mail address' }]);
  const segment = given.segment == null ? null : checkedSegment(given.segment);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return database.transaction(async (tx) => {
    const role = await takeTurn(tx, business, by.person, 'admin');
    if (given.role === 'owner') refuseUnless(role, 'owner');
    await refuseFlood(tx, business, email);
    if (await isMemberByEmail(tx, business.id, email)) throw new Refusal('conflict', `${email} is a member already.`);
    await refuseTooMany(tx, business, email);
    if (segment !== null && (await isSegmentTaken(tx, business.id, segment))) refuseTakenSegment(segment);
    const invitation = await store.upsertInvitation(tx, business.id, {
      ...{ id: newUuid(), email, role: given.role, segment, invitedBy: by.person.id },
      ...{ tokenHash: hashOf(token), days: INVITATION_LIFETIME_DAYS },
    });
    const mail = invitationMail({ businessName: business.displayName, inviter: by.name, url: `${publicUrl}/invitations/${token}` });
    await mails.queue(tx, { to: email, ...mail });
    return invitation;
  });
}

/** A repeated invitation does not count twice. */
async function refuseTooMany(tx: Queryable, business: Business, email: string): Promise<void> {
  const { members, invited } = await countPeople(tx, business.id, email);
  if (invited >= INVITATIONS_OPEN_PER_BUSINESS_MAX)
    throw new Refusal('conflict', `A business can have ${INVITATIONS_OPEN_PER_BUSINESS_MAX} open invitations at most: withdraw one first.`);
  if (members + invited >= MEMBERS_PER_BUSINESS_MAX)
    throw new Refusal('conflict', `A business can have ${MEMBERS_PER_BUSINESS_MAX} members at most, open invitations included.`);
}

/** Limits mails, because an admin chooses their recipients and anybody can become an admin of a new business. */
async function refuseFlood(tx: Queryable, business: Business, email: string): Promise<void> {
  await store.forgetSpent(tx, business.id);
  const { ofTheDay, fewerInS, sinceLastS } = await store.recentInvitations(tx, business.id, email);
  const isEarly = sinceLastS !== null && sinceLastS < INVITATION_AGAIN_AFTER_S;
  if (!isEarly && ofTheDay < INVITATIONS_PER_BUSINESS_AND_DAY_MAX) return;
  const retryAfterS = Math.max(1, Math.ceil(isEarly ? INVITATION_AGAIN_AFTER_S - sinceLastS : fewerInS));
  const reason = isEarly ? `${email} was invited just now` : `A business can invite ${INVITATIONS_PER_BUSINESS_AND_DAY_MAX} people a day`;
  throw new Refusal('rate_limited', `${reason}. Try again in ${retryAfterS} s.`, { retryAfterS });
}

export async function withdraw({ database }: MemberServices, business: Business, id: string): Promise<void> {
  if (!(await store.withdrawInvitation(database, business.id, id))) noSuchInvitation();
}

export async function readInvitation(
  services: MemberServices,
  token: string,
): Promise<{ invitation: store.Invitation; business: Business; inviter: string }> {
  const invitation = (await store.findInvitation(services.database, hashOf(token))) ?? noSuchInvitation();
  const business = await services.parties.byId(invitation.partyId);
  if (!business || !isBusiness(business)) noSuchInvitation();
  const inviter = await store.findInviter(services.database, invitation.partyId, invitation.id);
  return { invitation, business, inviter: inviter ?? business.displayName };
}

/** Only the holder of the mailbox can accept: a forwarded mail makes nobody else a member. */
export async function accept(services: MemberServices, person: Person, token: string): Promise<Business> {
  const { invitation, business } = await readInvitation(services, token);
  if (person.email !== invitation.email)
    throw new Refusal('forbidden', `The invitation is for ${invitation.email}; sign in with a code sent to that mailbox.`);
  await refusingTakenSegment(invitation.segment, () =>
    services.database.transaction(async (tx) => {
      await lockMembers(tx, business.id);
      if (!(await store.spendInvitation(tx, business.id, invitation.id))) noSuchInvitation();
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
  throw new Refusal(
    'not_found',
    'This invitation is not valid: it has expired, was withdrawn, or the person who sent it may no longer invite. Ask the business for a new one.',
  );
}

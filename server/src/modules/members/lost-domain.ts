import { isBusiness } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import type { Mails } from '../mail/mails.ts';
import { domainLostMail } from '../mail/templates.ts';
import { type MemberServices, ownerEmails } from './members.ts';

export async function tellOfLostDomain(
  { parties, mails }: Pick<MemberServices, 'parties'> & { mails: Pick<Mails, 'queue'> },
  tx: Queryable,
  partyId: bigint,
  domain: string,
): Promise<void> {
  const business = await parties.byId(partyId);
  if (!business || !isBusiness(business)) return;
  const mail = domainLostMail({ domain, businessName: business.displayName });
  for (const to of await ownerEmails(tx, partyId)) await mails.queue(tx, { to, ...mail });
}

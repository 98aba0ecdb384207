import { Refusal } from '../../contract/errors.ts';
import { isBusiness, type Party } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { isMemberByEmail, isMembersOnly } from './store.ts';

/** Some domains let only members send for the business. Refuses other mailboxes of such a domain. */
export async function refuseOutsider({ database }: { database: Database }, party: Pick<Party, 'view'>, email: string): Promise<void> {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (!isBusiness(party) || !(await isMembersOnly(database, party.id, domain)) || (await isMemberByEmail(database, party.id, email)))
    return;
  const { displayName } = party;
  throw new Refusal(
    'forbidden',
    `Only members of ${displayName} send messages from ${domain}. Ask an owner or admin of ${displayName} to invite ${email}.`,
  );
}

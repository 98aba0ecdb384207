import { formatId } from '../../contract/ids.ts';
import type { ActorView, Party } from '../../contract/parties.ts';
import type { ConsumerMail } from '../../platform/consumer-mail.ts';
import type { PartyDirectory } from './directory.ts';
import { toUnclaimed } from './party-row.ts';
import type { PartyName } from './store.ts';

export interface UnclaimedServices {
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
}

/**
 * Whom a mailbox writes for, when its owner has proved to hold it: the business that has verified its domain, else an
 * organisation that is known by the domain alone, or the mailbox itself where everybody can have one. Such a party is
 * made the first time it is asked for.
 */
export async function partyOfMailbox({ parties, consumerMail }: UnclaimedServices, email: string): Promise<Party> {
  const owner = await parties.ownerOf(domainOf(email));
  if (owner) return owner;
  const id = await parties.addUnclaimed(partyNameOfMailbox({ consumerMail }, email));
  const party = await parties.byId(id);
  if (!party) throw new Error('a party that was just made is gone');
  return party;
}

/** The same without making one: as it will be called once it is made. */
export async function expectedPartyOfMailbox({ parties, consumerMail }: UnclaimedServices, email: string): Promise<Omit<Party, 'id'>> {
  const owner = await parties.ownerOf(domainOf(email));
  if (owner) return owner;
  const name = partyNameOfMailbox({ consumerMail }, email);
  const id = await parties.find(name);
  const known = id === undefined ? undefined : await parties.byId(id);
  const { domain = null, email: mailbox = null } = name;
  return known ?? toUnclaimed({ handle: null, domain, email: mailbox, display_name: domain ?? email });
}

/** How the party is known that a mailbox would write for if nobody had verified its domain. */
export function partyNameOfMailbox({ consumerMail }: Pick<UnclaimedServices, 'consumerMail'>, email: string): PartyName {
  const domain = domainOf(email);
  return consumerMail.gives(domain) ? { email } : { domain };
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** A mailbox that sends by mail, where nobody has signed in. */
export async function mailboxActor({ parties }: UnclaimedServices, email: string, name: string): Promise<ActorView> {
  const id = formatId('mbx', await parties.mailboxId(email));
  return { kind: 'mailbox', id, name: name === '' ? email : name, email, verified: true, provider: 'smtp' };
}

import { formatId } from '../../contract/ids.ts';
import type { ActorView, Party } from '../../contract/parties.ts';
import type { ConsumerMail } from '../../platform/mail/consumer-mail.ts';
import type { PartyDirectory } from './directory.ts';
import { toUnclaimed } from './party-row.ts';
import type { PartyName } from './store.ts';

export interface UnclaimedServices {
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
}

/**
 * The party that a mailbox writes for, once its owner has proved to hold it: the business that has verified its domain, otherwise an
 * organisation known by the domain alone, or the mailbox itself at a consumer domain. The party is created when it is first needed.
 */
export async function partyOfMailbox({ parties, consumerMail }: UnclaimedServices, email: string): Promise<Party> {
  const owner = await parties.ownerOf(domainOf(email));
  if (owner) return owner;
  const id = await parties.addUnclaimed(partyNameOfMailbox({ consumerMail }, email));
  const party = await parties.byId(id);
  if (!party) throw new Error('a party that was just made is gone');
  return party;
}

export async function expectedPartyOfMailbox({ parties, consumerMail }: UnclaimedServices, email: string): Promise<Omit<Party, 'id'>> {
  const owner = await parties.ownerOf(domainOf(email));
  if (owner) return owner;
  const name = partyNameOfMailbox({ consumerMail }, email);
  const id = await parties.find(name);
  const known = id === undefined ? undefined : await parties.byId(id);
  const { domain = null, email: mailbox = null } = name;
  return known ?? toUnclaimed({ handle: null, domain, email: mailbox, display_name: domain ?? email });
}

/** Ignores whether a business has verified the mailbox's domain. */
export function partyNameOfMailbox({ consumerMail }: Pick<UnclaimedServices, 'consumerMail'>, email: string): PartyName {
  const domain = domainOf(email);
  return consumerMail.gives(domain) ? { email } : { domain };
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

export async function mailboxActor({ parties }: UnclaimedServices, email: string, name: string): Promise<ActorView> {
  const id = formatId('mbx', await parties.mailboxId(email));
  return { kind: 'mailbox', id, name: name === '' ? email : name, email, verified: true, provider: 'smtp' };
}

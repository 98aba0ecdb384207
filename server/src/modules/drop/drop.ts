import { Refusal } from '../../contract/errors.ts';
import type { Business, PartyView } from '../../contract/parties.ts';
import type { Person } from '../../contract/people.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { personActor } from '../members/caller.ts';
import { refuseOutsider } from '../members/outsiders.ts';
import { checkAddress, type Sender, type SendServices } from '../messages/send-message.ts';
import { expectedPartyOfMailbox, partyOfMailbox, type UnclaimedServices } from '../parties/unclaimed.ts';

/** A person without a handle writes for the proved mailbox, or not at all. */
export async function dropSender(services: UnclaimedServices & { database: Database }, person: Person): Promise<Sender> {
  const mailbox = provedMailbox(person);
  const party = await partyOfMailbox(services, mailbox);
  await refuseOutsider(services, party, mailbox);
  return { party, actor: personActor(person), isGuest: true };
}

function provedMailbox({ email, proves }: Person): string {
  if (email !== null && proves !== 'nothing') return email;
  throw new Refusal(
    'party_required',
    'This account has proved no mailbox to us: claim a handle, or sign in with a code sent to your mailbox.',
  );
}

interface Door {
  sender: PartyView | null;
  refusal: Refusal | null;
}

/** Whether a person could write to the business now, by the same checks as a drop and without side effects. */
export async function doorOf(services: SendServices & UnclaimedServices, person: Person, to: Business): Promise<Door> {
  let sender: PartyView | null = null;
  try {
    const party = await expectedPartyOfMailbox(services, provedMailbox(person));
    sender = party.view;
    await refuseOutsider(services, party, provedMailbox(person));
    await checkAddress(services, { party, actor: personActor(person) }, to.handle);
    return { sender, refusal: null };
  } catch (error) {
    if (error instanceof Refusal) return { sender, refusal: error };
    throw error;
  }
}

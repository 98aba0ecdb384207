import { Refusal } from '../../contract/errors.ts';
import type { Person } from '../../contract/people.ts';
import { personActor } from '../members/caller.ts';
import type { Sender } from '../messages/send-message.ts';
import { partyOfMailbox, type UnclaimedServices } from '../parties/unclaimed.ts';

/** A person who writes without a handle does so for the mailbox that was proved, or not at all. */
export async function dropSender(services: UnclaimedServices, person: Person): Promise<Sender> {
  if (person.email === null || person.proves === 'nothing')
    throw new Refusal(
      'party_required',
      'This account has proved no mailbox to us: claim a handle, or sign in with a code sent to your mailbox.',
    );
  return { party: await partyOfMailbox(services, person.email), actor: personActor(person), isGuest: true };
}

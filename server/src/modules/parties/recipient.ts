import { invalid, Refusal } from '../../contract/errors.ts';
import { parseRecipient } from '../../contract/mail-recipients.ts';
import { type Address, parseAddress } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import type { PartyDirectory } from './directory.ts';

export interface AddressServices {
  parties: PartyDirectory;
  /** The domain of incoming mail. `<handle>+<segment>@` this domain also addresses a recipient. */
  inboundDomain: string;
}

/** A domain or mailbox, which can't be the address of a business. */
const UNCLAIMED_NAME = /[@.]/;

/** The address is `<handle>` or `<handle>/<segment>`, perhaps with a leading @, or the mail address of either. */
export function addressIn({ inboundDomain }: AddressServices, to: string): Address | undefined {
  return parseAddress(to.startsWith('@') ? to.slice(1) : to) ?? parseRecipient(to, inboundDomain);
}

export function refuseNoAddress(to: string): void {
  if (!UNCLAIMED_NAME.test(to)) throw invalid([{ path: '/to', message: 'must be <handle> or <handle>/<segment>' }]);
}

export async function recipientAt(services: AddressServices, to: string): Promise<{ recipient: Business; segment: string | null }> {
  const address = addressIn(services, to);
  if (!address) {
    refuseNoAddress(to);
    throw new Refusal(
      'unknown_recipient',
      'Only a business that has claimed a handle can be written to; a domain or mailbox can only be replied to.',
    );
  }
  const recipient = await services.parties.byHandle(address.handle);
  if (!recipient) throw new Refusal('unknown_recipient', `No business has claimed the handle ${address.handle}.`);
  return { recipient, segment: address.segment ?? null };
}

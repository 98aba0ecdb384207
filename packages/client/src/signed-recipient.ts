/* The headers by which a signed send names its recipient and its files. Verifiers compare them with the envelope. */

import { sha256Of } from './sha256.ts';

/** A party as envelopes show it: with a handle, a domain or a mail address. */
export interface NamedParty {
  handle?: string;
  domain?: string;
  email?: string;
}

/** `Waybill-Recipient` for the address in `to`: the handle without its segment, or a mail address. */
export function recipientName(to: string): string {
  const address = to.replace(/^@/, '');
  return encodedName(address.includes('@') ? address : (address.split('/', 1)[0] ?? ''));
}

/** `Waybill-Recipient` for a party. */
export function partyName({ handle, domain, email }: NamedParty): string {
  return encodedName(handle ?? domain ?? email ?? '');
}

/**
 * Whether a signed `Waybill-Recipient` names this party: by its handle, domain or mail address; by a mail address of the business at the
 * service, whose host the signature names (`@authority`); or by any mail address of the domain.
 */
export function isNamed(name: string, party: NamedParty, authority: string | undefined): boolean {
  const { handle, domain } = party;
  if (name !== '' && name === partyName(party)) return true;
  const at = name.lastIndexOf('@');
  if (at < 1) return false;
  const [local, host] = [name.slice(0, at), name.slice(at + 1)];
  if (domain !== undefined && host === encodedName(domain)) return true;
  if (handle === undefined || host !== authority?.replace(/:\d+$/, '')) return false;
  return local === encodedName(handle) || local.startsWith(`${encodedName(handle)}+`);
}

/** `Waybill-Files` for the SHA-256 of each file, `sha256:<hex>`, in the order of the message. */
export function filesHash(hashes: readonly string[]): string {
  return sha256Of(hashes.map((one) => `${one}\n`).join(''));
}

/** In lower case, as far as ASCII has it; what a header can't have is percent-encoded, and `%` itself. */
function encodedName(name: string): string {
  const encoded = (character: string) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[^!-$&-~]/gu, encoded);
}

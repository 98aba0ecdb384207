import { hash } from 'node:crypto';
import { addresseeOf } from '../../contract/mail-recipients.ts';
import type { Address } from '../../contract/names.ts';
import type { Parcel } from './send-to-all.ts';

/**
 * Makes one parcel for each recipient. The same mail to the same address is not sent twice. If only its signature vouches for the mail,
 * anybody may have sent it again, so the same mail to another segment of the same business is not sent either. A mail is identified by its
 * sender, its Message-ID (without one, a hash of all its bytes), and a hash of its body, because some programs give two mails one
 * Message-ID.
 */
export function parcelsOf(recipients: readonly Address[], isSignedOnly: boolean, identity: readonly string[], parents: string[]): Parcel[] {
  const parcels = new Map<string, Parcel>();
  for (const recipient of recipients) {
    const mailDigest = hash('sha256', [...identity, recipient.handle].join('\n'), 'buffer');
    // The space keeps this key apart from the keys of clients.
    const key = `mail-${mailDigest.toString('hex')} ${isSignedOnly ? '' : (recipient.segment ?? '')}`;
    const parcel = { to: addresseeOf(recipient), parents, key, mailDigest, isOnce: isSignedOnly };
    if (!parcels.has(key)) parcels.set(key, parcel);
  }
  return [...parcels.values()];
}

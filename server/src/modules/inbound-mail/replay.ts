import { MAIL_SIGNED_AHEAD_HOURS_MAX, MAIL_SIGNED_DAYS_MAX } from '../../contract/limits.ts';
import type { Address } from '../../contract/names.ts';
import { mailRefusal } from './smtp-replies.ts';

const HOUR_MS = 3_600_000;

/**
 * A signature stays valid forever, even when others forward the mail. So a mail that only a signature vouches for is accepted for a few
 * days, and for the businesses that its author has named. `named` are those in the signed To and Cc.
 */
export function refuseReplay(sentAt: number, recipients: readonly Address[], named: readonly Address[]): void {
  const age = Date.now() - sentAt;
  const isTimely = age <= MAIL_SIGNED_DAYS_MAX * 24 * HOUR_MS && age >= -MAIL_SIGNED_AHEAD_HOURS_MAX * HOUR_MS;
  if (!isTimely)
    throw mailRefusal(
      '5.7.26',
      `Only its DKIM signature vouches for this mail, and its Date is not of the last ${MAIL_SIGNED_DAYS_MAX} days. Send it again from a server that the SPF record of the domain names.`,
    );
  const unnamed = recipients.find(({ handle }) => !named.some((other) => other.handle === handle));
  if (unnamed)
    throw mailRefusal(
      '5.7.26',
      `Only its DKIM signature vouches for this mail, and neither To nor Cc names ${unnamed.handle}. Send it again from a server that the SPF record of the domain names, or address it to ${unnamed.handle}.`,
    );
}

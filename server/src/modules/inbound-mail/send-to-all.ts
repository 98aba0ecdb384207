import { Refusal } from '../../contract/errors.ts';
import { formatId, newUuid } from '../../contract/ids.ts';
import { quotaRefusal } from '../../contract/quotas.ts';
import { SmtpRefusal } from '../../platform/mail/smtp-listener.ts';
import { checkRecipient, findSentAsMail, isSent, type Sender, type SendServices, sendMessage } from '../messages/send-message.ts';
import type { SendRequest } from '../messages/send-request.ts';
import { partyNameOfMailbox, type UnclaimedServices } from '../parties/unclaimed.ts';
import { usageOf } from '../usage/usage.ts';

type SendToAllServices = SendServices & UnclaimedServices;

export interface Parcel {
  to: string;
  parents: string[];
  key: string;
  mailDigest: Buffer;
  /** The business gets the mail once, whatever its segments: an earlier message is returned again. */
  isOnce: boolean;
}

/**
 * Sends one message for each recipient, and returns their ids. SMTP has one reply for all of them, so everything that can be refused is
 * refused before the first message is sent. Files that no message carries are discarded.
 */
export async function sendToAll(services: SendToAllServices, sender: Sender, request: SendRequest, parcels: Parcel[]): Promise<string[]> {
  const ids: string[] = [];
  let isCarried = false;
  try {
    if (parcels.length > 1) await checkAll(services, sender, request, parcels);
    for (const parcel of parcels) {
      const earlier = await earlierOf(services, sender, parcel);
      if (earlier !== undefined) {
        ids.push(formatId('msg', earlier));
        continue;
      }
      const inReplyTo = await parentOf(services, sender, parcel);
      const inlineFiles = request.inlineFiles.map((file) => ({ ...file, id: newUuid() }));
      const { message, isReplayed } = await sendMessage(
        services,
        sender,
        () => ({ ...request, to: parcel.to, inReplyTo, inlineFiles, mailDigest: parcel.mailDigest }),
        parcel.key,
      );
      ids.push(formatId('msg', message.id));
      isCarried ||= !isReplayed;
    }
    return ids;
  } catch (error) {
    // When the connection broke during the commit, nobody knows whether the message was committed.
    isCarried ||= !(error instanceof Refusal);
    // A refusal by one recipient must not look like a refusal by all. On the next try, recipients who have the mail don't get it again.
    if (error instanceof Refusal && ids.length > 0)
      throw new SmtpRefusal(451, `4.5.0 Not all recipients have received the mail: ${error.message}`);
    throw error;
  } finally {
    if (!isCarried) await services.files.discard(request.inlineFiles);
  }
}

/** The earlier message of the same mail. If a domain was verified since, its party was another one then. */
async function earlierOf(
  services: SendToAllServices,
  { party, actor }: Sender,
  { mailDigest, isOnce }: Parcel,
): Promise<string | undefined> {
  if (!isOnce || actor.email === null) return undefined;
  const unclaimed = await services.parties.find(partyNameOfMailbox(services, actor.email));
  return findSentAsMail(services, unclaimed === undefined ? [party.id] : [party.id, unclaimed], mailDigest);
}

/** The first possible parent between the same two parties. Null begins a thread. */
async function parentOf(services: SendServices, sender: Sender, { to, parents }: Parcel): Promise<string | null> {
  for (const inReplyTo of parents) {
    try {
      await checkRecipient(services, sender, { to, inReplyTo });
      return inReplyTo;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return null;
}

async function checkAll(services: SendToAllServices, sender: Sender, request: SendRequest, parcels: Parcel[]): Promise<void> {
  let unsent = 0;
  for (const parcel of parcels) {
    if ((await isSent(services, sender, parcel.key)) || (await earlierOf(services, sender, parcel)) !== undefined) continue;
    unsent++;
    await checkRecipient(services, sender, { to: parcel.to, inReplyTo: await parentOf(services, sender, parcel) });
  }
  const { quotas, database } = services;
  const { today, monthMessages, dayUploadBytes } = await usageOf(database.of(sender.party.id), sender.party.id);
  const exceeds = (used: number, allowed: number) => allowed > 0 && unsent > 0 && used > allowed;
  if (exceeds(monthMessages + unsent, quotas.monthlyMessages)) throw quotaRefusal('monthly_messages', quotas, today);
  const bytes = request.inlineFiles.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (exceeds(dayUploadBytes + unsent * bytes, quotas.dailyUploadBytes)) throw quotaRefusal('daily_upload_bytes', quotas, today);
}

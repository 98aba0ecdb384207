import { Refusal } from '../../contract/errors.ts';
import type { Witnesses } from '../attestations/witnesses.ts';
import type { Location, Log } from '../log/log.ts';
import type { ReadServices, SentMessage } from '../messages/read-messages.ts';

export interface ProofServices extends ReadServices {
  transparencyLog: Log;
  witnesses: Witnesses | undefined;
}

export const PENDING = Symbol('pending');

/** The proof is a c2sp.org/tlog-proof for the content hash of a message. */
export async function proofOf(services: ProofServices, sent: SentMessage): Promise<string | typeof PENDING> {
  const location = await locate(services, sent);
  return location === PENDING ? PENDING : proofAt(services, location);
}

/** Finds the message's content hash in the log. Refuses messages that are older than the log. */
export async function locate({ transparencyLog }: ProofServices, { senderId, message }: SentMessage): Promise<Location | typeof PENDING> {
  const location = await transparencyLog.locateMessage(senderId, message.id);
  if (location === 'unlogged') throw new Refusal('not_logged');
  return location ?? PENDING;
}

/** A new leaf waits some seconds for its witnesses. Without enough of them, the proof is the word of the log alone. */
export async function proofAt({ transparencyLog, witnesses }: ProofServices, location: Location): Promise<string | typeof PENDING> {
  const checkpoint = await transparencyLog.checkpointFor(location.log, location.index);
  if (!checkpoint) return PENDING;
  if (witnesses && !checkpoint.isWitnessed && (await transparencyLog.awaitsWitnesses(location))) return PENDING;
  return transparencyLog.proofIn(checkpoint, location);
}

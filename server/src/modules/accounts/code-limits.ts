import { createHash } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import {
  CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX,
  CODE_WINDOW_S,
  CODES_PER_ADDRESS_AND_WINDOW_MAX,
  CODES_PER_MAILBOX_AND_DAY_MAX,
  CODES_PER_MAILBOX_AND_WINDOW_MAX,
  CODES_PER_MAILBOX_FROM_STRANGERS_AND_DAY_MAX,
  DEVICE_KNOWN_DAYS,
} from '../../contract/limits.ts';
import { entriesOf } from '../../contract/records.ts';
import { networkOf } from '../../platform/network.ts';
import type { Queryable } from '../../platform/postgres.ts';
import { countUse, findKnown, noteSignIn } from './store.ts';

const DAY_S = 24 * 3_600;

/** The person who requests or enters a code. */
export interface Requester {
  email: string;
  /** A hash of the browser's cookie. */
  device: string;
  address: string;
}

/**
 * Codes can be guessed and mailboxes flooded, so both are counted in the database, for all processes together. Nobody is locked
 * out by others: each browser in which somebody signed in with the mailbox has its own counts, and so has each network; only
 * networks without such a sign-in share one daily count.
 *
 * The limit of guessing: a code has 5 tries, which only the browser that requested the code has. In a day, strangers get 40 codes
 * for a mailbox together, so 200 tries in a million; somebody in the owner's network gets 20 more, 100 tries.
 */
export async function countCode(db: Queryable, { email, device, address }: Requester): Promise<void> {
  const network = networkOf(address);
  const known = await knownAmong(db, { device: hashOf(['device', email, device]), network: hashOf(['network', email, network]) });
  if (known.has('device')) return countCodeOf(db, ['code', email, 'device', device]);
  await count(db, ['code', network], CODE_WINDOW_S, CODES_PER_ADDRESS_AND_WINDOW_MAX);
  await countCodeOf(db, ['code', email, 'network', network]);
  if (!known.has('network')) await count(db, ['code of the day', email], DAY_S, CODES_PER_MAILBOX_FROM_STRANGERS_AND_DAY_MAX, ELSEWHERE);
}

async function countCodeOf(db: Queryable, subject: string[]): Promise<void> {
  await count(db, subject, CODE_WINDOW_S, CODES_PER_MAILBOX_AND_WINDOW_MAX);
  await count(db, ['of the day', ...subject], DAY_S, CODES_PER_MAILBOX_AND_DAY_MAX);
}

/** Each code limits its own tries; this limits somebody who tries many mailboxes. */
export async function countTry(db: Queryable, { email, device, address }: Requester): Promise<void> {
  const known = await knownAmong(db, { device: hashOf(['device', email, device]) });
  const subject = known.has('device') ? ['try', email, 'device', device] : ['try', networkOf(address)];
  await count(db, subject, CODE_WINDOW_S, CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX);
}

/** Records that somebody has signed in with the mailbox in this browser and network. */
export async function noteKnown(db: Queryable, { email, device, address }: Requester): Promise<void> {
  await noteSignIn(db, [hashOf(['device', email, device]), hashOf(['network', email, networkOf(address)])]);
}

async function knownAmong<N extends string>(db: Queryable, subjects: Record<N, Buffer>): Promise<Set<N>> {
  const entries = entriesOf(subjects);
  const found = await findKnown(
    db,
    entries.map(([, subject]) => subject),
    DEVICE_KNOWN_DAYS,
  );
  return new Set(entries.filter(([, subject]) => found.some((one) => one.equals(subject))).map(([name]) => name));
}

const ELSEWHERE =
  'Too many codes were requested for this mailbox today. Sign in in a browser that you have used before, or with a passkey; or try';

async function count(db: Queryable, subject: string[], windowS: number, max: number, advice = 'Too many sign-ins. Try'): Promise<void> {
  const { uses, closesInS } = await countUse(db, hashOf(subject), windowS);
  if (uses > max) throw new Refusal('rate_limited', `${advice} again in ${closesInS} s.`, { retryAfterS: closesInS });
}

function hashOf(subject: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(subject)).digest();
}

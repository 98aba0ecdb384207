import { createHash } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import {
  CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX,
  CODE_WINDOW_S,
  CODES_PER_ADDRESS_AND_WINDOW_MAX,
  CODES_PER_MAILBOX_AND_DAY_MAX,
  CODES_PER_MAILBOX_AND_WINDOW_MAX,
  CODES_PER_MAILBOX_FROM_STRANGERS_AND_DAY_MAX,
  CODES_PER_MAILBOX_QUIET_MAX,
  DEVICE_KNOWN_DAYS,
  IPV6_SITE_FACTOR,
} from '../../contract/limits.ts';
import { entriesOf } from '../../contract/records.ts';
import { networkOf, siteOf } from '../../platform/fairness/network.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { countUse, findKnown, noteSignIn } from './store.ts';

const DAY_S = 24 * 3_600;

interface Requester {
  email: string;
  device: string;
  address: string;
}

/**
 * Codes can be guessed and mailboxes flooded, so both are counted in the database, for all processes together. Nobody is locked
 * out by others: each browser in which somebody signed in with the mailbox has its own counts, and so has each network. Only
 * networks without such a sign-in share one daily count. When strangers use that up, the mails that they cause bring a pass, with
 * counts of its own, for the person who reads the mailbox.
 *
 * The limit of guessing: a code has 5 tries, which only the browser that requested the code has. In a day, strangers get 40 codes
 * for a mailbox together, so 200 tries in a million. Somebody in the owner's network gets 20 more, 100 tries.
 *
 * `isContested`: strangers have requested many codes, so the mail should bring the pass.
 */
export async function countCode(db: Queryable, { email, device, address }: Requester, hasPass: boolean): Promise<{ isContested: boolean }> {
  const network = networkOf(address);
  const known = await knownAmong(db, { device: hashOf(['device', email, device]), network: hashOf(['network', email, network]) });
  if (known.has('device') || hasPass) {
    await countCodeOf(db, ['code', email, ...(known.has('device') ? ['device', device] : ['pass'])]);
    return { isContested: false };
  }
  await countInNetwork(db, 'code', address, CODES_PER_ADDRESS_AND_WINDOW_MAX);
  await countCodeOf(db, ['code', email, 'network', network]);
  if (known.has('network')) return { isContested: false };
  const uses = await count(db, ['code of the day', email], DAY_S, CODES_PER_MAILBOX_FROM_STRANGERS_AND_DAY_MAX, ELSEWHERE);
  return { isContested: uses > CODES_PER_MAILBOX_QUIET_MAX };
}

async function countInNetwork(db: Queryable, what: 'code' | 'try', address: string, max: number): Promise<void> {
  const site = siteOf(address);
  await count(db, [what, networkOf(address)], CODE_WINDOW_S, max);
  if (site !== undefined) await count(db, [what, site], CODE_WINDOW_S, max * IPV6_SITE_FACTOR);
}

async function countCodeOf(db: Queryable, subject: string[]): Promise<void> {
  await count(db, subject, CODE_WINDOW_S, CODES_PER_MAILBOX_AND_WINDOW_MAX);
  await count(db, ['of the day', ...subject], DAY_S, CODES_PER_MAILBOX_AND_DAY_MAX);
}

/** Each code limits its own tries. This limits somebody who tries many mailboxes. */
export async function countTry(db: Queryable, { email, device, address }: Requester): Promise<void> {
  const known = await knownAmong(db, { device: hashOf(['device', email, device]) });
  if (known.has('device')) await count(db, ['try', email, 'device', device], CODE_WINDOW_S, CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX);
  else await countInNetwork(db, 'try', address, CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX);
}

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
  'Too many codes were requested for this mailbox today. Open the link in one of the latest mails with a code, or sign in in a browser that you have used before, or with a passkey; or try';

async function count(db: Queryable, subject: string[], windowS: number, max: number, advice = 'Too many sign-ins. Try'): Promise<number> {
  const { uses, closesInS } = await countUse(db, hashOf(subject), windowS);
  if (uses > max) throw new Refusal('rate_limited', `${advice} again in ${closesInS} s.`, { retryAfterS: closesInS });
  return uses;
}

function hashOf(subject: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(subject)).digest();
}

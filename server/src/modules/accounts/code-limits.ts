import { createHash } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import {
  CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX,
  CODE_WINDOW_S,
  CODES_PER_ADDRESS_AND_WINDOW_MAX,
  CODES_PER_MAILBOX_AND_DAY_MAX,
  CODES_PER_MAILBOX_AND_WINDOW_MAX,
} from '../../contract/limits.ts';
import { networkOf } from '../../platform/network.ts';
import type { Queryable } from '../../platform/postgres.ts';
import { countUse } from './store.ts';

const DAY_S = 24 * 3_600;

/** Codes can be guessed and mailboxes flooded, so both are counted, in the database, for all processes together. */
export async function countCode(db: Queryable, email: string, address: string): Promise<void> {
  await count(db, ['code', networkOf(address)], CODE_WINDOW_S, CODES_PER_ADDRESS_AND_WINDOW_MAX);
  await count(db, ['code', email], CODE_WINDOW_S, CODES_PER_MAILBOX_AND_WINDOW_MAX);
  await count(db, ['code of the day', email], DAY_S, CODES_PER_MAILBOX_AND_DAY_MAX);
}

/** Tries for one mailbox are bounded by those of each of its codes; this bounds one who tries many mailboxes. */
export async function countTry(db: Queryable, address: string): Promise<void> {
  await count(db, ['try', networkOf(address)], CODE_WINDOW_S, CODE_TRIES_PER_ADDRESS_AND_WINDOW_MAX);
}

async function count(db: Queryable, subject: string[], windowS: number, max: number): Promise<void> {
  const { uses, closesInS } = await countUse(db, createHash('sha256').update(JSON.stringify(subject)).digest(), windowS);
  if (uses > max) throw new Refusal('rate_limited', `Too many sign-ins. Try again in ${closesInS} s.`, { retryAfterS: closesInS });
}

import { canonicalJson } from '../../contract/canonical-json.ts';
import { Refusal } from '../../contract/errors.ts';
import {
  DOMAIN_KEY_CHANGES_MAX,
  DOMAIN_KEY_CHANGES_PER_DAY_MAX,
  DOMAIN_KEY_CHECK_PAUSE_S,
  DOMAIN_KEY_DOMAINS_MAX,
  DOMAIN_KEY_FILE_MISSING_DAYS,
} from '../../contract/limits.ts';
import { parseDomain } from '../../contract/mail-names.ts';
import type { Business } from '../../contract/parties.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { type Found, fetchKeys } from './key-file.ts';
import * as store from './store.ts';
import * as vouching from './vouching-store.ts';

export type { KeyFile } from './store.ts';

export interface DomainKeyServices {
  database: Database;
  outbound: Outbound;
}

type Owner = Pick<Business, 'id' | 'view' | 'handle'>;

const DAY_MS = 24 * 3_600_000;

/** What is known of the file of a verified domain. Undefined: the business has never asked for it. */
export async function readDomainKeys(database: Database, business: Owner, text: string): Promise<{ domain: string; file?: store.KeyFile }> {
  const domain = await verifiedDomain(database, business, text);
  const file = await store.readFile(database, business.id, domain);
  return { domain, ...(file && { file }) };
}

/** Fetches the file now, and from then on each day. */
export async function checkDomainKeys(services: DomainKeyServices, business: Owner, text: string) {
  const { database } = services;
  const domain = await verifiedDomain(database, business, text);
  const limits = { pauseS: DOMAIN_KEY_CHECK_PAUSE_S, filesMax: DOMAIN_KEY_DOMAINS_MAX };
  if (!(await database.transaction((tx) => store.ask(tx, business.id, domain, limits)))) {
    if (!(await store.readFile(database, business.id, domain)))
      throw new Refusal('conflict', `At most ${DOMAIN_KEY_DOMAINS_MAX} domains can vouch for the keys of a business.`);
    throw new Refusal('rate_limited', `The file of ${domain} was fetched a moment ago. Ask again in ${DOMAIN_KEY_CHECK_PAUSE_S} seconds.`, {
      retryAfterS: DOMAIN_KEY_CHECK_PAUSE_S,
    });
  }
  await refresh(services, business, domain);
  return readDomainKeys(database, business, domain);
}

export async function refresh({ database, outbound }: DomainKeyServices, owner: Owner, domain: string): Promise<void> {
  const startedAt = await store.databaseTime(database);
  await note(database, owner, domain, { startedAt, found: await fetchKeys(outbound, domain, owner.handle) });
}

/** A domain that is no longer that of its business vouches for none of its keys. */
export function forgetLostDomain(database: Database, owner: Owner, domain: string): Promise<void> {
  return database.acrossShards(async (of) => {
    const tx = of(owner.id);
    const file = await store.lockFile(tx, owner.id, domain);
    if (!file || (await store.isVerified(tx, owner.id, domain))) return;
    await forget(tx, owner, domain, file);
  });
}

/** Two fetches may end in another order than they began: the one that began last counts. */
function note(database: Database, owner: Owner, domain: string, fetched: { startedAt: Date; found: Found }): Promise<void> {
  const { startedAt, found } = fetched;
  return database.acrossShards(async (of) => {
    const tx = of(owner.id);
    const file = await store.lockFile(tx, owner.id, domain);
    if (!file || (file.checkedAt !== null && file.checkedAt > startedAt) || !(await store.isVerified(tx, owner.id, domain))) return;
    if ('keys' in found) {
      const noted = await take(tx, owner, domain, file, found.keys);
      await store.noteCheck(tx, owner.id, domain, { checkedAt: startedAt, missingSince: null, ...noted });
      return;
    }
    const holds = file.holds?.number ?? null;
    const missingSince = file.missingSince ?? startedAt;
    if (startedAt.getTime() - missingSince.getTime() <= DOMAIN_KEY_FILE_MISSING_DAYS * DAY_MS) {
      await store.noteCheck(tx, owner.id, domain, { checkedAt: startedAt, missingSince, problem: found.problem, holds });
      return;
    }
    await forget(tx, owner, domain, file);
  });
}

async function forget(tx: Queryable, owner: Owner, domain: string, file: store.KeyFile): Promise<void> {
  if (file.holds) await state(tx, owner, domain, { former: file.holds.keys, keys: [] });
  await store.forgetFile(tx, owner.id, domain);
}

/** Takes over what the file says, as far as the log takes it. */
async function take(tx: Queryable, owner: Owner, domain: string, { holds }: store.KeyFile, keys: string[]) {
  const former = holds?.keys ?? [];
  const isNew = keys.join() !== former.join();
  const refusal = isNew && keys.length > 0 ? await changeRefusal(tx, owner, domain) : undefined;
  // A key that is no longer in the file is vouched for no longer, even if the log does not take what the file has instead.
  const isEnded = refusal !== undefined && former.some((key) => !keys.includes(key));
  const next = refusal === undefined ? keys : isEnded ? [] : former;
  const number = next.join() === former.join() ? (holds?.number ?? null) : await state(tx, owner, domain, { former, keys: next });
  const problem = refusal ?? (keys.length === 0 ? `The file names no key for ${owner.handle}.` : null);
  return {
    problem: isEnded ? `${problem} The domain vouches for no key meanwhile, because one of its keys is no longer in the file.` : problem,
    holds: number,
  };
}

/** The end is always logged, but not each change. */
async function changeRefusal(tx: Queryable, { id }: Owner, domain: string): Promise<string | undefined> {
  const { number, inADay } = await store.statementsBefore(tx, id, domain);
  if (number >= DOMAIN_KEY_CHANGES_MAX)
    return `The keys have changed ${DOMAIN_KEY_CHANGES_MAX.toLocaleString('en')} times: the log takes no more changes of this domain but the end.`;
  return inADay >= DOMAIN_KEY_CHANGES_PER_DAY_MAX
    ? `The keys have changed ${DOMAIN_KEY_CHANGES_PER_DAY_MAX} times in 24 hours: this change counts later.`
    : undefined;
}

/** Logs which keys the domain vouches for from now on. Returns the number of the statement, or null for a statement without keys. */
async function state(
  tx: Queryable,
  { id, view }: Owner,
  domain: string,
  { former, keys }: { former: readonly string[]; keys: readonly string[] },
): Promise<number | null> {
  const number = (await store.statementsBefore(tx, id, domain)).number + 1;
  const at = await store.databaseTime(tx);
  const text = canonicalJson({ at: at.toISOString(), domain, keys, party: view, state: keys.length === 0 ? 'gone' : 'bound' });
  await store.logStatement(tx, id, domain, { number, at, former, keys, text });
  return keys.length === 0 ? null : number;
}

async function verifiedDomain(database: Database, { id }: Owner, text: string): Promise<string> {
  const domain = parseDomain(text);
  if (domain === undefined || !(await store.isVerified(database, id, domain)))
    throw new Refusal('not_found', 'The domain is none of the verified domains of your business.');
  return domain;
}

export interface KeyDomain {
  domain: string;
  since: Date;
}

/** The domain that vouches for each of these keys now: if there are several, the one that has done so for longest. */
export async function domainsOfKeys(database: Database, partyId: bigint, publicKeys: readonly Buffer[]): Promise<Map<string, KeyDomain>> {
  const texts = publicKeys.map((key) => key.toString('base64'));
  const vouched = texts.length === 0 ? [] : await vouching.vouchedKeys(database, partyId, texts);
  return new Map(vouched.toReversed().map(({ key, domain, since }) => [key, { domain, since }]));
}

/** A statement by which a domain vouches for a key, as a part of a proof, and the location of its leaf. */
export interface DomainKeyParts extends KeyDomain {
  statement: string;
  leaf: { partyId: bigint; batchId: string; slot: 0 };
}

/** Prefers a domain that vouched for the key at that time to one that does so only now. */
export async function domainKeyPartsOf(
  database: Database,
  partyId: bigint,
  publicKey: Buffer,
  at: Date,
): Promise<DomainKeyParts | undefined> {
  const found = await vouching.findVouching(database, partyId, publicKey.toString('base64'), at);
  if (!found) return undefined;
  const { domain, at: since, statement, logBatch } = found;
  return { domain, since, statement, leaf: { partyId, batchId: logBatch, slot: 0 } };
}

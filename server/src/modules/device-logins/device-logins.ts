import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { KeyScope } from '../../contract/api-key.ts';
import { cleanedDisplayName } from '../../contract/display-names.ts';
import { Refusal } from '../../contract/errors.ts';
import {
  DEVICE_LOGIN_LIFETIME_S,
  DEVICE_LOGIN_NAME_MAX_CHARS,
  DEVICE_LOGINS_WAITING_MAX,
  DEVICE_LOGINS_WAITING_PER_NETWORK_MAX,
  IPV6_SITE_FACTOR,
} from '../../contract/limits.ts';
import { mayActAs } from '../../contract/members.ts';
import { type Business, isBusiness } from '../../contract/parties.ts';
import type { Person } from '../../contract/people.ts';
import { networkOf, siteOf } from '../../platform/fairness/network.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { addKey, getAgent, type MintedKey } from '../agents/agents.ts';
import { lockMember, takeTurn } from '../members/members.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import * as store from './store.ts';

export interface DeviceLoginServices {
  database: Database;
  parties: PartyDirectory;
  publicUrl: string;
}

const DEVICE_CODE_BYTES = 32;
/** There are no vowels, so that no code is a word, and no letters that look like others. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_CHARS = 8;
export const INTERVAL_S = 3;

interface StartedLogin {
  deviceCode: string;
  userCode: string;
}

/** Begins a login of a program, which then polls with the device code until a person has decided about the user code. */
export async function startLogin({ database }: DeviceLoginServices, name: string, address: string): Promise<StartedLogin> {
  const origin = { network: networkOf(address), site: siteOf(address) };
  await refuseTooMany(database, origin);
  // Counted again under the lock, so that no two logins take the last place.
  return database.exclusively('device logins', async () => {
    await refuseTooMany(database, origin);
    const deviceCode = randomBytes(DEVICE_CODE_BYTES).toString('base64url');
    for (;;) {
      const userCode = newUserCode();
      const login = { deviceHash: hashOf(deviceCode), userCode, name: visibleName(name), origin, lifetimeS: DEVICE_LOGIN_LIFETIME_S };
      if (await store.insertLogin(database, login)) return { deviceCode, userCode: shownCode(userCode) };
    }
  });
}

async function refuseTooMany(database: Database, origin: store.Origin): Promise<void> {
  const waiting = await store.countWaiting(database, origin, DEVICE_LOGINS_WAITING_MAX);
  const isNetworkFull = waiting.ofNetwork >= DEVICE_LOGINS_WAITING_PER_NETWORK_MAX;
  if (isNetworkFull || waiting.ofSite >= DEVICE_LOGINS_WAITING_PER_NETWORK_MAX * IPV6_SITE_FACTOR)
    throw new Refusal('rate_limited', 'Too many programs of your network wait for a login. Try again in some minutes.', {
      retryAfterS: 60,
    });
  if (waiting.all >= DEVICE_LOGINS_WAITING_MAX)
    throw new Refusal('unavailable', 'Too many programs wait for a login. Try again in some minutes.', { retryAfterS: 60 });
}

export async function readLogin({ database }: DeviceLoginServices, userCode: string) {
  return (await store.findWaiting(database, codeOf(userCode))) ?? noSuchLogin();
}

/** The program gets a key of this agent, if the person may still create keys when it polls. */
export async function allowLogin(
  { database }: DeviceLoginServices,
  business: Business,
  by: Person,
  userCode: string,
  agentId: string,
  scope: KeyScope,
): Promise<void> {
  const agent = await getAgent(database, business.id, agentId);
  const allowed = { partyId: business.id, agentId: agent.id, scope, allowedBy: by.id };
  await database.transaction(async (tx) => {
    await takeTurn(tx, business, by, 'admin');
    if (!(await store.allowLogin(tx, codeOf(userCode), allowed))) noSuchLogin();
  });
}

export async function refuseLogin({ database }: DeviceLoginServices, userCode: string): Promise<void> {
  if (!(await store.refuseLogin(database, codeOf(userCode)))) noSuchLogin();
}

/** Returns the key once, and undefined while nobody has decided. A person who can no longer create keys has allowed nothing. */
export async function fetchKey(
  { database, parties }: DeviceLoginServices,
  deviceCode: string,
): Promise<{ key: MintedKey; business: Business; agentId: string } | undefined> {
  const deviceHash = hashOf(deviceCode);
  const allowed = await store.findAllowed(database, deviceHash);
  if (allowed === undefined) noSuchLogin();
  if (allowed === null) return undefined;
  const business = await parties.byId(allowed.partyId);
  if (!business || !isBusiness(business)) noSuchLogin();
  const { agentId, scope, allowedBy } = allowed;
  const key = await database.transaction(async (tx) => {
    // The lock of the members keeps the person's role until the key exists.
    const member = await lockMember(tx, business, allowedBy);
    if (!member || !mayActAs(member.role, 'admin') || !(await store.spendLogin(tx, deviceHash))) noSuchLogin();
    return addKey(tx, business.id, agentId, scope);
  });
  return { key, business, agentId };
}

function newUserCode(): string {
  return Array.from({ length: USER_CODE_CHARS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** Two halves are easier to compare. */
function shownCode(code: string): string {
  return `${code.slice(0, USER_CODE_CHARS / 2)}-${code.slice(USER_CODE_CHARS / 2)}`;
}

/** People may type it in any case, with or without the hyphen. */
function codeOf(text: string): string {
  return text.toUpperCase().replace(/[^A-Z]/g, '');
}

function visibleName(text: string): string {
  return cleanedDisplayName(text, DEVICE_LOGIN_NAME_MAX_CHARS) || 'A program';
}

function hashOf(deviceCode: string): Buffer {
  return createHash('sha256').update(deviceCode).digest();
}

function noSuchLogin(): never {
  throw new Refusal('not_found', 'There is no such login. It was used, refused, or has expired: begin again in the program.');
}

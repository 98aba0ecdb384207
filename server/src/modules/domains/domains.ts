import { randomBytes } from 'node:crypto';
import { getDomain } from 'tldts';
import { Refusal } from '../../contract/errors.ts';
import { DOMAINS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { parseDomain } from '../../contract/mail-names.ts';
import type { Business } from '../../contract/parties.ts';
import type { ConsumerMail } from '../../platform/consumer-mail.ts';
import type { NameServers } from '../../platform/name-servers.ts';
import type { Database } from '../../platform/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import * as store from './store.ts';

export interface DomainServices {
  database: Database;
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
  nameServers: NameServers;
}

const TOKEN_BYTES = 20;

/** Where and what a business is to write into the DNS of its domain. */
export function recordOf(domain: string, token: string): { name: string; value: string } {
  return { name: `_waybill.${domain}`, value: `waybill-verification=${token}` };
}

export function listDomains({ database }: DomainServices, business: Business): Promise<store.DomainRow[]> {
  return store.listDomains(database, business.id);
}

/** Anybody may say that a domain is theirs; it counts once its DNS says so too. */
export async function requestDomain(services: DomainServices, business: Business, text: string): Promise<store.DomainRow> {
  const domain = checkedDomain(services, text);
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const isThere = await services.database.transaction((tx) =>
    store.insertRequest(tx, business.id, domain, token, DOMAINS_PER_BUSINESS_MAX),
  );
  if (!isThere) throw new Refusal('conflict', `A business can have ${DOMAINS_PER_BUSINESS_MAX} domains at most.`);
  return getDomainOf(services, business, domain);
}

/** Looks the record up now. The row tells whether it was found. */
export async function checkDomain(services: DomainServices, business: Business, text: string): Promise<store.DomainRow> {
  const { domain, token, verified_at } = await getDomainOf(services, business, text);
  if (token === null) return getDomainOf(services, business, domain);
  const isThere = await hasRecord(services, domain, token);
  if (isThere === undefined) throw new Refusal('unavailable', `The DNS of ${domain} could not be asked.`, { retryAfterS: 10 });
  // A first check tells only what is there; what was verified is lost by the daily one alone.
  if (isThere && verified_at === null) await takeOver(services, business, domain);
  await store.noteCheck(services.database, business.id, domain, isThere);
  return getDomainOf(services, business, domain);
}

export async function removeDomain(services: DomainServices, business: Business, text: string): Promise<void> {
  const { domain, verified_at } = await getDomainOf(services, business, text);
  await services.database.transaction((tx) => store.deleteRequest(tx, business.id, domain));
  if (verified_at !== null) await services.parties.removeDomain(business, domain);
}

/** Whether the text stands there; undefined when the name servers do not tell. */
export async function hasRecord({ nameServers }: DomainServices, domain: string, token: string): Promise<boolean | undefined> {
  const { name, value } = recordOf(domain, token);
  const texts = await nameServers.textsAt(name);
  return texts?.some((found) => found.trim() === value);
}

/** A domain that changed hands goes to whoever has its DNS now. */
async function takeOver(services: DomainServices, business: Business, domain: string): Promise<void> {
  const holder = await store.findHolder(services.database, domain);
  if (holder && holder.partyId !== business.id && (await hasRecord(services, domain, holder.token)) === false) {
    const former = await services.parties.ownerOf(domain);
    if (former) await services.parties.removeDomain(former, domain);
  }
  await services.parties.verifyDomain(business, domain);
}

async function getDomainOf({ database }: DomainServices, business: Business, text: string): Promise<store.DomainRow> {
  const domain = parseDomain(text);
  const row = domain === undefined ? undefined : await store.findDomain(database, business.id, domain);
  if (!row) throw new Refusal('not_found', 'There is no such domain.');
  return row;
}

function checkedDomain({ consumerMail }: DomainServices, text: string): string {
  const refuse = (message: string): never => {
    throw new Refusal('validation_error', message, { details: [{ path: '/domain', message }] });
  };
  const domain = parseDomain(text) ?? refuse('It must be a domain such as acme-works.com.');
  if (getDomain(domain, { allowPrivateDomains: true }) === null)
    refuse(`${domain} is no domain of an organisation, but one that many share.`);
  if (consumerMail.gives(domain)) refuse(`${domain} gives mailboxes to anybody, so it can belong to no business.`);
  return domain;
}

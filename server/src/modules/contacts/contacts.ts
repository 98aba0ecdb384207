import type { Spend } from '../../contract/cost.ts';
import type { Cursors } from '../../contract/cursors.ts';
import { refuseUnseen } from '../../contract/display-names.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { ACTIVITY_ITEMS_MAX, PAGE_DEFAULT_ITEMS, SAVED_CONTACTS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { parseDomain, parseEmail } from '../../contract/mail-names.ts';
import { foldCase, parseHandle } from '../../contract/names.ts';
import type { Business, PartyView } from '../../contract/parties.ts';
import { entriesOf } from '../../contract/records.ts';
import type { ConsumerMail } from '../../platform/mail/consumer-mail.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Blocks } from '../blocks/blocks.ts';
import type { Following } from '../following/following.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { partyViewOf } from '../parties/party-row.ts';
import * as store from './store.ts';

export { CONTACT_ORDERS } from './store.ts';

const AT_ONCE = 51;

export interface ContactServices {
  database: Database;
  cursors: Cursors;
  parties: PartyDirectory;
  consumerMail: ConsumerMail;
  blocks: Blocks;
  following: Following;
}

export interface Contact {
  /** A uuid. Null: the contact is not saved. */
  id: string | null;
  party: PartyView;
  label: string;
  notes: string;
  archived: boolean;
  blocked: boolean;
  activity: Pick<store.ContactRow, 'first_seen_at' | 'last_seen_at' | 'last_direction'> &
    store.Seen & { messagesIn: number; messagesOut: number };
}

type PlacedContact = Contact & Pick<store.ListedContact, 'place'>;

/** Exactly one of the fields is given. */
interface PartyName {
  handle?: string;
  domain?: string;
  email?: string;
}

interface ContactQuery {
  limit?: number;
  cursor?: string;
  q?: string;
  saved?: boolean;
  archived?: boolean;
  type?: string;
  sort?: store.ContactFilters['sort'];
}

/** Returns one more row than the page has. `spend` charges for contacts scanned in vain. */
export async function listContacts(services: ContactServices, business: Business, query: ContactQuery, spend: Spend) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor, ...given } = query;
  const scope = ['contacts', business.id.toString(), Object.entries(given).sort()];
  const below = services.cursors.open(scope, cursor);
  const { q, archived = false, sort = 'added' } = given;
  const filters = { ...given, ...(q !== undefined && { q: foldCase(q) }), archived, sort };
  await services.following.catchUp(business.id);
  const { rows, walkedTo, walked } = await store.listContacts(services.database.of(business.id), business.id, filters, below, limit + 1);
  spend({ rows: walked });
  const cursorAfter = ({ place }: PlacedContact) => services.cursors.issue(scope, place ?? '');
  return {
    rows: contactsOf(services, business, rows),
    cursorAfter,
    endCursor: walkedTo === undefined ? null : services.cursors.issue(scope, walkedTo),
  };
}

/** Reads the activity of a few contacts at a time: each can have many types and actors. */
async function* contactsOf(services: ContactServices, business: Business, rows: store.ListedContact[]): AsyncGenerator<PlacedContact> {
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    const some = rows.slice(i, i + AT_ONCE);
    const contacts = await toContacts(services, business, some);
    for (const [j, contact] of contacts.entries()) yield { ...contact, place: some[j]?.place ?? null };
  }
}

export async function contactByParty(services: ContactServices, business: Business, name: PartyName): Promise<Contact> {
  const otherId = await services.parties.find(await nameNow(services, nameOf(name)));
  const row = otherId === undefined ? undefined : await findContact(services, business, otherId);
  return toContact(services, business, row ?? noSuchContact());
}

export async function getContact(services: ContactServices, business: Business, id: string): Promise<Contact> {
  await services.following.catchUp(business.id);
  const row = await store.findSaved(services.database.of(business.id), business.id, uuidOf(id));
  return toContact(services, business, row ?? noSuchContact());
}

export async function saveContact(
  services: ContactServices,
  business: Business,
  { label, notes, ...given }: PartyName & store.ContactChange,
): Promise<{ contact: Contact; isNew: boolean }> {
  const name = nameOf(given);
  if (label !== undefined) refuseUnseen(label, '/label');
  refuseNoParty(services, name);
  const otherId = await partyToSave(services, business, await nameNow(services, name));
  const change = { ...(label !== undefined && { label }), ...(notes !== undefined && { notes }) };
  const isNew = await services.database.of(business.id).transaction(async (tx) => {
    const wasSaved = !(await store.saveContact(tx, business.id, otherId, change));
    if (!wasSaved && (await store.countSaved(tx, business.id)) > SAVED_CONTACTS_PER_BUSINESS_MAX) refuseTooMany();
    return !wasSaved;
  });
  const row = await findContact(services, business, otherId);
  return { contact: await toContact(services, business, row ?? noSuchContact()), isNew };
}

async function findContact(
  { database, following }: ContactServices,
  business: Business,
  otherId: bigint,
): Promise<store.ContactRow | undefined> {
  await following.catchUp(business.id);
  return store.findContact(database.of(business.id), business.id, otherId);
}

/** Creates a party without a handle, unless the contact can't be saved anyway. */
async function partyToSave({ database, parties }: ContactServices, business: Business, name: PartyName): Promise<bigint> {
  const known = await parties.find(name);
  if (known !== undefined) return known;
  if (name.handle !== undefined) throw new Refusal('not_found', `No business has claimed the handle ${name.handle}.`);
  if ((await store.countSaved(database.of(business.id), business.id)) >= SAVED_CONTACTS_PER_BUSINESS_MAX) refuseTooMany();
  return parties.addUnclaimed(name);
}

/** Refuses a mailbox of an organisation, whose party is its domain, and a consumer domain, which is not a party. */
function refuseNoParty({ consumerMail }: ContactServices, { domain, email }: PartyName): void {
  const host = email?.split('@').at(-1);
  if (host !== undefined && !consumerMail.gives(host))
    throw invalid([{ path: '/email', message: `belongs to an organisation, which is known by its domain: save ${host} as domain` }]);
  if (domain !== undefined && consumerMail.gives(domain))
    throw invalid([{ path: '/domain', message: `gives mailboxes to anybody: save the mailbox as email` }]);
}

/** A verified domain stands for its business. */
async function nameNow({ parties }: ContactServices, name: PartyName): Promise<PartyName> {
  const owner = name.domain === undefined ? undefined : await parties.ownerOf(name.domain);
  return owner ? { handle: owner.handle } : name;
}

export async function changeContact(
  services: ContactServices,
  business: Business,
  id: string,
  change: store.ContactChange,
): Promise<Contact> {
  const uuid = uuidOf(id);
  if (change.label !== undefined) refuseUnseen(change.label, '/label');
  const isChanged = await services.database.of(business.id).transaction((tx) => store.changeSaved(tx, business.id, uuid, change));
  if (!isChanged) noSuchContact();
  return getContact(services, business, id);
}

async function toContact(services: ContactServices, business: Business, row: store.ContactRow): Promise<Contact> {
  const [contact] = await toContacts(services, business, [row]);
  return contact ?? noSuchContact();
}

async function toContacts({ database, blocks }: ContactServices, business: Business, rows: store.ContactRow[]): Promise<Contact[]> {
  if (rows.length === 0) return [];
  const otherIds = rows.map(({ other_id }) => BigInt(other_id));
  const [seen, blocked] = await Promise.all([
    store.seenOf(database.of(business.id), business.id, otherIds, ACTIVITY_ITEMS_MAX),
    blocks.among(business.id, otherIds),
  ]);
  return rows.map((row) => ({
    id: row.saved_at === null ? null : row.contact_id,
    party: partyViewOf(row),
    label: row.label,
    notes: row.notes,
    archived: row.archived,
    blocked: blocked.has(row.other_id),
    activity: {
      first_seen_at: row.first_seen_at,
      last_seen_at: row.last_seen_at,
      last_direction: row.last_direction,
      messagesIn: Number(row.messages_in),
      messagesOut: Number(row.messages_out),
      ...(seen.get(row.other_id) ?? { types: [], actors: [] }),
    },
  }));
}

function nameOf({ handle, domain, email }: PartyName): PartyName {
  const given = entriesOf({ handle, domain, email }).flatMap(([kind, text]) => (text === undefined ? [] : [{ kind, text }]));
  const [first, second] = given;
  if (first === undefined) throw invalid([{ path: '', message: 'needs one of handle, domain and email' }]);
  if (second !== undefined) throw invalid([{ path: `/${second.kind}`, message: `must not be given along with ${first.kind}` }]);
  const { kind, text } = first;
  const parsed = { handle: parseHandle, domain: parseDomain, email: parseEmail }[kind](text);
  if (parsed === undefined) throw invalid([{ path: `/${kind}`, message: EXPECTED[kind] }]);
  return { [kind]: parsed };
}

const EXPECTED = {
  handle: 'must be a handle',
  domain: 'must be a domain such as example.com',
  email: 'must be an e-mail address',
};

function refuseTooMany(): never {
  throw new Refusal('conflict', `A business can save ${SAVED_CONTACTS_PER_BUSINESS_MAX} contacts at most.`);
}

function uuidOf(id: string): string {
  return parseId('ctc', id) ?? noSuchContact();
}

function noSuchContact(): never {
  throw new Refusal('not_found', 'The contact was not found.');
}

import type { Spend } from '../../contract/cost.ts';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { formatId, newUuid, parseId } from '../../contract/ids.ts';
import {
  CONSUMER_COUNT_MAX,
  CONSUMER_DEFAULT_TRIES,
  CONSUMER_NAME_MAX_CHARS,
  CONSUMERS_PER_BUSINESS_MAX,
  PAGE_DEFAULT_ITEMS,
} from '../../contract/limits.ts';
import { parseSegment } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { parseTime } from '../../contract/time.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { likePatterns } from '../webhooks/webhook-fields.ts';
import { seekConsumer, unparkMessages } from './lease-store.ts';
import type { Leases } from './leases.ts';
import * as store from './store.ts';

export type { ParkedMessage } from './store.ts';

export interface ConsumerServices {
  database: Database;
  cursors: Cursors;
  leases: Leases;
}

interface FilterFields {
  types?: string[];
  target?: string;
  validation?: store.Validation;
}

interface ConsumerFields {
  filter?: FilterFields;
  start?: string;
  ordered?: boolean;
  max_tries?: number;
}

interface PageQuery {
  limit?: number;
  cursor?: string;
}

export type Shown = store.Consumer & { state: store.ConsumerState };

const NAME = new RegExp(`^[a-z0-9][a-z0-9._-]{0,${CONSUMER_NAME_MAX_CHARS - 1}}$`);

/** Creates or changes the consumer. A change ignores `start`, because its workers may have got far. */
export async function putConsumer(
  services: ConsumerServices,
  business: Business,
  name: string,
  fields: ConsumerFields,
): Promise<{ consumer: Shown; isNew: boolean }> {
  if (!NAME.test(name))
    throw invalid([
      {
        path: '/name',
        message: `must have at most ${CONSUMER_NAME_MAX_CHARS} characters: a-z, 0-9, dot, _ or -, the first a letter or digit`,
      },
    ]);
  const settings = settingsOf(business, fields);
  const start = positionOf('start', fields.start ?? 'now');
  const result = await services.database.of(business.id).transaction(async (tx) => {
    const count = await store.lockConsumers(tx, business.id);
    const before = await store.findConsumer(tx, business.id, name);
    if (before && before.isOrdered !== settings.isOrdered)
      throw new Refusal('conflict', '`ordered` of a consumer can’t be changed: delete the consumer, or create another one.');
    if (before) return { consumer: await store.updateConsumer(tx, business.id, name, settings), isNew: false };
    if (count >= CONSUMERS_PER_BUSINESS_MAX)
      throw new Refusal('conflict', `A business can have ${CONSUMERS_PER_BUSINESS_MAX} consumers: delete one first.`);
    const head = await store.headOf(tx, business.id);
    const takenThrough = String(start < head ? start : head);
    return { consumer: await store.insertConsumer(tx, business.id, { name, id: newUuid(), ...settings, takenThrough }), isNew: true };
  });
  const { consumer = noSuchConsumer(), isNew } = result;
  services.leases.tell({ partyId: business.id, name });
  return { consumer: await shown(services, business, consumer), isNew };
}

function settingsOf(
  business: Business,
  { filter = {}, ordered = false, max_tries = CONSUMER_DEFAULT_TRIES }: ConsumerFields,
): store.Settings {
  const { types = null, target, validation = null } = filter;
  const bad = types?.findIndex((type) => type.includes('\0') || !type.isWellFormed()) ?? -1;
  if (bad >= 0) throw invalid([{ path: `/filter/types/${bad}`, message: 'must be text without U+0000' }]);
  return {
    filter: { types: likePatterns(types), target: target === undefined ? null : segmentOf(business, target), validation },
    isOrdered: ordered,
    maxTries: max_tries,
  };
}

function segmentOf({ handle }: Business, text: string): string {
  const prefix = `${handle}/`;
  const segment = parseSegment(text.toLowerCase().startsWith(prefix) ? text.slice(prefix.length) : text);
  if (segment === undefined) throw invalid([{ path: '/filter/target', message: 'must be a segment of your business' }]);
  return segment;
}

const POSITION_MAX = 2n ** 63n - 1n;

/** Messages after this position come. The store limits it to the present end of the ledger. */
function positionOf(field: string, text: string): bigint {
  if (text === 'now') return POSITION_MAX;
  if (text === 'beginning') return 0n;
  const position = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (position !== undefined && position <= POSITION_MAX) return position;
  const ms = parseTime(text);
  if (ms === undefined) throw invalid([{ path: `/${field}`, message: 'must be now, beginning, a position or an ISO 8601 time' }]);
  return ms <= 0 ? 0n : BigInt(ms) * POSITIONS_PER_MS - 1n;
}

/** Returns one more row than the page has. `spend` charges for the counted messages. */
export async function listConsumers(services: ConsumerServices, business: Business, query: PageQuery, spend: Spend) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
  const scope = ['consumers', business.id.toString()];
  const after = services.cursors.open(scope, cursor) ?? null;
  const rows = await store.listConsumers(services.database.of(business.id), business.id, after, limit + 1);
  return { rows: allShown(services, business, rows, spend), cursorAfter: ({ name }: Shown) => services.cursors.issue(scope, name) };
}

/** Runs one after another: a request holds one connection at a time, and a consumer can have many holders. */
async function* allShown(services: ConsumerServices, business: Business, consumers: store.Consumer[], spend: Spend) {
  for (const consumer of consumers) {
    const one = await shown(services, business, consumer);
    spend({ rows: one.state.lag + one.state.leased + one.state.parked });
    yield one;
  }
}

export async function getConsumer(services: ConsumerServices, business: Business, name: string): Promise<Shown> {
  return shown(services, business, await findConsumer(services, business, name));
}

async function findConsumer({ database }: ConsumerServices, business: Business, name: string): Promise<store.Consumer> {
  const consumer = NAME.test(name) ? await store.findConsumer(database.of(business.id), business.id, name) : undefined;
  return consumer ?? noSuchConsumer();
}

async function shown({ database }: ConsumerServices, business: Business, consumer: store.Consumer): Promise<Shown> {
  return { ...consumer, state: await store.stateOf(database.of(business.id), business.id, consumer, CONSUMER_COUNT_MAX) };
}

/** Requests that wait for the consumer's messages learn that the consumer is gone. */
export async function deleteConsumer({ database, leases }: ConsumerServices, business: Business, name: string): Promise<void> {
  const isDeleted = NAME.test(name) && (await store.deleteConsumer(database, business.id, name));
  if (!isDeleted) noSuchConsumer();
  leases.tell({ partyId: business.id, name });
}

/** Forgets the leases of workers, which then can't acknowledge those messages any more. */
export async function seek(services: ConsumerServices, business: Business, name: string, place: string): Promise<Shown> {
  const key = keyOf(business, name);
  const position = positionOf('position', place);
  const isThere = await services.leases.run(key, (db) => seekConsumer(db, key, position));
  if (!isThere) noSuchConsumer();
  services.leases.tell(key);
  return getConsumer(services, business, name);
}

export async function listParked(services: ConsumerServices, business: Business, name: string, query: PageQuery) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
  const consumer = await findConsumer(services, business, name);
  const scope = ['parked', business.id.toString(), consumer.id];
  const after = services.cursors.open(scope, cursor) ?? null;
  const rows = await store.listParked(services.database.of(business.id), business.id, consumer.id, after, limit + 1);
  return pageOf(rows, limit, ({ messageId }) => services.cursors.issue(scope, messageId));
}

export interface Outcome {
  count: number;
  unknown: string[];
}

export async function unpark(services: ConsumerServices, business: Business, name: string, ids: readonly string[]): Promise<Outcome> {
  const key = keyOf(business, name);
  const done = await services.leases.run(key, (db) => unparkMessages(db, key, uuidsOf(ids)));
  if (!done) noSuchConsumer();
  services.leases.tell(key);
  return outcomeOf(ids, done);
}

export function keyOf(business: Business, name: string): { partyId: bigint; name: string } {
  return NAME.test(name) ? { partyId: business.id, name } : noSuchConsumer();
}

/** Texts that are no message ids are unknown, like ids of other messages. */
export function uuidsOf(ids: readonly string[]): string[] {
  return ids.flatMap((id) => parseId('msg', id) ?? []);
}

export function outcomeOf(ids: readonly string[], done: readonly string[]): Outcome {
  const known = new Set(done.map((uuid) => formatId('msg', uuid)));
  return { count: done.length, unknown: ids.filter((id) => !known.has(id)) };
}

export function noSuchConsumer(): never {
  throw new Refusal('not_found', 'The consumer was not found.');
}

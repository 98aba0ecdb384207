import type { Readable } from 'node:stream';
import type { Spend } from '../../contract/cost.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { LEASE_DEFAULT_MESSAGES, LEASE_DEFAULT_S } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { hasAccessEnded } from '../access/access.ts';
import type { EnvelopeServices } from '../messages/envelopes.ts';
import { listBody, type Reader } from '../messages/page-body.ts';
import { type ConsumerServices, keyOf, noSuchConsumer, type Outcome, outcomeOf, uuidsOf } from './consumers.ts';
import { acknowledgeMessages, extendLeases, type Leased, releaseMessages, type Wanted } from './lease-store.ts';

export type WorkServices = ConsumerServices & EnvelopeServices;

interface LeaseFields {
  limit?: number;
  lease_s?: number;
  wait_s?: number;
  holder?: string;
}

/** Returns messages as JSON. If the response can't be made, the messages can be leased again at once. */
export async function lease(
  services: WorkServices,
  caller: Caller,
  name: string,
  { limit = LEASE_DEFAULT_MESSAGES, lease_s: leaseS = LEASE_DEFAULT_S, wait_s: waitS = 0, holder }: LeaseFields,
  reader: Reader & { spend: Spend },
  gone: AbortSignal,
): Promise<string | Readable> {
  const key = keyOf(caller.business, name);
  const wanted: Wanted = { holder: holder ?? caller.actor.id, limit, leaseS, spend: reader.spend };
  const leased = await services.leases.lease(key, wanted, waitS, gone);
  if (leased.messages.length === 0) return '{"data":[]}';
  try {
    // A revoked key ends its waits. A person may have lost access during this one.
    if (waitS > 0 && caller.by.kind === 'member' && (await hasAccessEnded(services.database, caller)))
      throw new Refusal('unauthorized', 'Your access to the business has ended.');
    return await bodyOf(services, caller, leased, reader);
  } catch (error) {
    await services.leases.giveBack(key, wanted, leased);
    throw error;
  }
}

function bodyOf(
  services: WorkServices,
  { business }: Caller,
  { messages, leaseUntil }: Leased,
  reader: Reader,
): Promise<string | Readable> {
  const entries = messages.map((message) => ({ ...message, senderId: BigInt(message.senderId), message: undefined }));
  return listBody(services, { readerId: business.id, detail: 'whole', entries }, reader, {
    opening: '{"data":[',
    closing: () => ']}',
    // The lease has its own limit: everything that is leased is delivered.
    maxBytes: Number.POSITIVE_INFINITY,
    item: (envelope, { tries, position }) =>
      `{"message":${envelope},"tries":${tries},"lease_until":"${leaseUntil.toISOString()}","position":"${position}"}`,
  });
}

interface AckFields {
  ids?: string[];
  through?: string;
  holder?: string;
}

export async function acknowledge(services: ConsumerServices, caller: Caller, name: string, fields: AckFields): Promise<Outcome> {
  const { ids, through, holder = caller.actor.id } = fields;
  const key = keyOf(caller.business, name);
  if ((ids === undefined) === (through === undefined)) throw invalid([{ path: '', message: 'must have either ids or through' }]);
  const what = ids === undefined ? { through: BigInt(through ?? 0) } : { ids: uuidsOf(ids) };
  const done = await services.leases.run(key, (db) => acknowledgeMessages(db, key, holder, what));
  if (!done) noSuchConsumer();
  if (done.hasNews) services.leases.tell(key);
  return outcomeOf(ids ?? [], done.ids);
}

interface ReleaseFields {
  ids: string[];
  delay_s?: number;
  reason?: string;
  holder?: string;
}

export async function release(services: ConsumerServices, caller: Caller, name: string, fields: ReleaseFields): Promise<Outcome> {
  const { ids, delay_s: delayS = 0, reason = null, holder = caller.actor.id } = fields;
  const key = keyOf(caller.business, name);
  const done = await services.leases.run(key, (db) => releaseMessages(db, key, holder, uuidsOf(ids), { delayS, reason }));
  if (!done) noSuchConsumer();
  if (done.hasNews) services.leases.tell(key);
  return outcomeOf(ids, done.ids);
}

interface ExtendFields {
  ids: string[];
  lease_s?: number;
  holder?: string;
}

export async function extend(
  services: ConsumerServices,
  caller: Caller,
  name: string,
  { ids, lease_s: leaseS = LEASE_DEFAULT_S, holder = caller.actor.id }: ExtendFields,
): Promise<Outcome & { leaseUntil: Date }> {
  const key = keyOf(caller.business, name);
  const extended = await services.leases.run(key, (db) => extendLeases(db, key, holder, uuidsOf(ids), leaseS));
  if (!extended) noSuchConsumer();
  return { ...outcomeOf(ids, extended.ids), leaseUntil: extended.leaseUntil };
}

import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid, Refusal } from '../contract/errors.ts';
import { mayActAs } from '../contract/members.ts';
import type { Caller } from '../contract/parties.ts';
import type { Person, SignedIn } from '../contract/people.ts';
import type { Auth } from './endpoint.ts';
import type { NetworkRate } from './network-rate.ts';
import { refuseOtherSites } from './own-origin.ts';
import type { Pace } from './pace.ts';
import { admitBy, type Bucket, type RateLimiter } from './rate-limit.ts';
import type { Responses } from './responses.ts';
import { timesGiven } from './server.ts';
import type { UnknownKeys } from './unknown-keys.ts';

export interface Gate {
  /** Undefined: the secret has not the form of a key. */
  nameOfKey(secret: string): string | undefined;
  knownCaller(name: string): Caller | undefined;
  callerFor(name: string): Promise<Caller | undefined>;
  personFor(request: FastifyRequest): Promise<SignedIn | undefined>;
  memberFor(person: Person, handle: string): Promise<Caller | undefined>;
  publicUrl: string;
  perKey: RateLimiter;
  perBusiness: RateLimiter;
  perAddress: NetworkRate;
  unknownKeys: UnknownKeys;
  responses: Responses;
  pace: Pace;
}

const BUSINESS_HEADER = 'waybill-business';
const KEY_NAMES = Symbol('names of keys');
type NamingSocket = Socket & { [KEY_NAMES]?: Map<string, string> };
/** A connection of a proxy carries the requests of many keys. */
const KEYS_REMEMBERED_MAX = 8;
/** Longer headers have more spaces than anybody needs, and are not kept for as long as a connection lasts. */
const HEADER_REMEMBERED_MAX_CHARS = 64;
/** RFC 9110, section 11.4, allows several spaces. */
const BEARER = /^Bearer +([!-~]+)$/i;

export async function admit(gate: Gate, auth: Auth, request: FastifyRequest, reply: FastifyReply, tellsPeople = false): Promise<void> {
  if (auth === 'public unlimited') return;
  if (auth === 'public') return gate.perAddress.admit(request.ip, reply);
  // No cache may store responses to a key or a session, not even refusals.
  reply.header('cache-control', 'no-store');
  if (auth === 'person') {
    request.person = await requirePerson(gate, request, reply);
    return gate.perKey.admit(request.person.id, reply);
  }
  const takesKeys = auth === 'key' || auth === 'key rw';
  const isKey = takesKeys && (request.headers.authorization !== undefined || request.headers[BUSINESS_HEADER] === undefined);
  if (isKey && tellsPeople && request.headers.authorization === undefined) await refuseWithoutBusiness(gate, request, reply);
  const caller = isKey ? await keyHolder(gate, request) : await member(gate, await requirePerson(gate, request, reply), request);
  if (auth === 'key rw' && caller.scope !== 'read_write') throw new Refusal('forbidden');
  if (!takesKeys && caller.by.kind === 'member' && !mayActAs(caller.by.role, auth))
    throw new Refusal('forbidden', `Only ${auth === 'owner' ? 'an owner' : 'an admin or owner'} can do that.`);
  request.caller = caller;
  admitBy(...bucketsOf(gate, auth, request), reply);
}

export function bucketsOf(gate: Gate, auth: Auth, { caller, person, ip }: FastifyRequest): [Bucket | undefined, Bucket | undefined] {
  if (caller) return [gate.perKey.bucketOf(caller.countedAs), gate.perBusiness.bucketOf(caller.business.id)];
  if (person) return [gate.perKey.bucketOf(person.id), undefined];
  const [network, site] = auth === 'public' ? gate.perAddress.bucketsOf(ip) : [];
  return [network, site];
}

/** Tells a signed-in person without a business what to do, instead of asking for a key. */
async function refuseWithoutBusiness(gate: Gate, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.headers.cookie === undefined) return;
  const found = await gate.personFor(request);
  if (!found) return;
  gate.perKey.admit(found.person.id, reply);
  throw new Refusal('party_required', 'Claim a handle, or name one of your businesses in the header Waybill-Business.');
}

async function keyHolder(gate: Gate, request: FastifyRequest): Promise<Caller> {
  // Node keeps the first of two Authorization headers, but the other one may have been meant.
  const isSingle = timesGiven(request.raw.rawHeaders, 'authorization') === 1;
  const name = isSingle ? keyNameOf(gate, request) : undefined;
  const known = name === undefined ? undefined : gate.knownCaller(name);
  if (known) return known;
  const lookUp = async () => (name === undefined ? undefined : gate.callerFor(name));
  const caller = await gate.unknownKeys.identify(request.ip, lookUp);
  if (!caller) throw new Refusal('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
  return caller;
}

/**
 * The requests of a connection mostly have the same key, whose name (its hash) the connection remembers. Who the caller is, and whether the key
 * still holds, is looked up each time. A Map compares the hashes of texts first, which are seeded, so that no comparison can be timed.
 */
function keyNameOf(gate: Gate, { raw, headers: { authorization = '' } }: FastifyRequest): string | undefined {
  const socket: NamingSocket = raw.socket;
  socket[KEY_NAMES] ??= new Map();
  const names = socket[KEY_NAMES];
  const remembered = names.get(authorization);
  if (remembered !== undefined) return remembered;
  const secret = BEARER.exec(authorization)?.[1];
  const name = secret === undefined ? undefined : gate.nameOfKey(secret);
  if (name === undefined || authorization.length > HEADER_REMEMBERED_MAX_CHARS) return name;
  if (names.size >= KEYS_REMEMBERED_MAX) names.clear();
  names.set(authorization, name);
  return name;
}

async function requirePerson(gate: Gate, request: FastifyRequest, reply: FastifyReply): Promise<Person> {
  const found = await gate.personFor(request);
  if (!found) throw new Refusal('unauthorized', 'Sign in first.');
  refuseOtherSites(request, gate.publicUrl);
  if (found.cookies.length > 0) reply.header('set-cookie', found.cookies);
  return found.person;
}

async function member(gate: Gate, person: Person, request: FastifyRequest): Promise<Caller> {
  const handle = request.headers[BUSINESS_HEADER];
  if (typeof handle !== 'string')
    throw invalid([{ path: '/Waybill-Business', message: 'must be a header with the handle of your business' }]);
  const caller = await gate.memberFor(person, handle);
  if (!caller) throw new Refusal('forbidden', 'You are not a member of that business.');
  return caller;
}

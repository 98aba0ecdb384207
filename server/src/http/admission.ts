import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid, Refusal } from '../contract/errors.ts';
import { mayActAs } from '../contract/members.ts';
import type { Caller } from '../contract/parties.ts';
import type { Person, SignedIn } from '../contract/people.ts';
import type { Auth } from './endpoint.ts';
import { refuseOtherSites } from './own-origin.ts';
import type { Pace } from './pace.ts';
import { admitBy, type RateLimiter } from './rate-limit.ts';
import { timesGiven } from './raw-headers.ts';
import type { Responses } from './responses.ts';
import type { Strangers } from './strangers.ts';

export interface Gate {
  /** Whose key it is, as far as this process remembers. */
  knownCaller(secret: string): Caller | undefined;
  callerFor(secret: string): Promise<Caller | undefined>;
  personFor(request: FastifyRequest): Promise<SignedIn | undefined>;
  /** A person who acts for a business; undefined when it is not theirs to act for. */
  memberFor(person: Person, handle: string): Promise<Caller | undefined>;
  /** Where people reach the service. */
  publicUrl(): string;
  perKey: RateLimiter;
  perBusiness: RateLimiter;
  perAddress: RateLimiter;
  strangers: Strangers;
  responses: Responses;
  pace: Pace;
}

/** The business that a signed-in person acts for. */
export const BUSINESS_HEADER = 'waybill-business';
const BEARER = /^Bearer ([!-~]+)$/i;

/** Finds out who asks, and refuses whoever may not. */
export async function admit(gate: Gate, auth: Auth, request: FastifyRequest, reply: FastifyReply, tellsPeople = false): Promise<void> {
  if (auth === 'public unlimited') return;
  if (auth === 'public') return gate.perAddress.admit(request.ip, reply);
  // What a key or a session opens is for its holder's eyes, refusals included, not for a cache in between.
  reply.header('cache-control', 'no-store');
  if (auth === 'person') {
    request.person = await signedIn(gate, request, reply);
    return gate.perKey.admit(request.person.id, reply);
  }
  const takesKeys = auth === 'key' || auth === 'key rw';
  const isKey = takesKeys && (request.headers.authorization !== undefined || request.headers[BUSINESS_HEADER] === undefined);
  if (isKey && tellsPeople && request.headers.authorization === undefined) await refuseNobody(gate, request, reply);
  const caller = isKey ? await keyHolder(gate, request) : await member(gate, await signedIn(gate, request, reply), request);
  if (auth === 'key rw' && caller.scope !== 'read_write') throw new Refusal('forbidden');
  if (!takesKeys && caller.by.kind === 'member' && !mayActAs(caller.by.role, auth))
    throw new Refusal('forbidden', `Only ${auth === 'owner' ? 'an owner' : 'an admin or owner'} can do that.`);
  admitBy(gate.perKey.bucketOf(caller.countedAs), gate.perBusiness.bucketOf(caller.business.id), reply);
  request.caller = caller;
}

/** Whoever is signed in, but has or names no business, has proved to be somebody, and is still nobody's. */
async function refuseNobody(gate: Gate, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.headers.cookie === undefined) return;
  const found = await gate.personFor(request);
  if (!found) return;
  gate.perKey.admit(found.person.id, reply);
  throw new Refusal('party_required', 'Claim a handle, or name a business of yours in the header Waybill-Business.');
}

async function keyHolder(gate: Gate, request: FastifyRequest): Promise<Caller> {
  // Node keeps the first of two Authorization headers; which one was meant is not ours to guess.
  const isSingle = timesGiven(request.raw.rawHeaders, 'authorization') === 1;
  const secret = isSingle ? BEARER.exec(request.headers.authorization ?? '')?.[1] : undefined;
  const known = secret === undefined ? undefined : gate.knownCaller(secret);
  if (known) return known;
  const lookUp = async () => (secret === undefined ? undefined : gate.callerFor(secret));
  const caller = await gate.strangers.identify(request.ip, lookUp);
  if (!caller) throw new Refusal('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
  return caller;
}

async function signedIn(gate: Gate, request: FastifyRequest, reply: FastifyReply): Promise<Person> {
  const found = await gate.personFor(request);
  if (!found) throw new Refusal('unauthorized', 'Sign in first.');
  refuseOtherSites(request, gate.publicUrl());
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

import { createHash } from 'node:crypto';
import {
  type Components,
  checkCoverage,
  isDigestOf,
  isSignatureGenuine,
  parseSignature,
  SignatureFault,
  type SignatureParameters,
} from '@waybill/client';
import { Refusal } from '../../contract/errors.ts';
import { formatId, parseId } from '../../contract/ids.ts';
import {
  SIGNATURE_NONCE_MAX_CHARS,
  SIGNATURE_NONCE_MIN_CHARS,
  SIGNATURE_TOLERANCE_S,
  SIGNED_REST_MAX_BYTES,
} from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { codeOf } from '../../contract/thrown.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { findKey, type SigningKeyRecord } from './key-store.ts';
import type { LoggedKeys } from './logged-keys.ts';
import { type CheckedRequest, type CheckedSignature, nonceKeyOf } from './signed-request.ts';

export interface SignatureServices {
  database: Database;
  loggedKeys: LoggedKeys;
  publicUrl: string;
}

interface Signable {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

const COVERED_HEADERS = ['content-digest', 'idempotency-key', 'waybill-recipient', 'waybill-files', 'content-type', 'content-length'];
const NONCE = new RegExp(`^[A-Za-z0-9+/=_-]{${SIGNATURE_NONCE_MIN_CHARS},${SIGNATURE_NONCE_MAX_CHARS}}$`);

/** A request with any signature header is checked or refused, and never taken for an unsigned one. */
function hasSignature({ headers }: Signable): boolean {
  return headers['signature'] !== undefined || headers['signature-input'] !== undefined;
}

/** Refuses signatures of requests that can't be signed: forms, and those of people. */
export function refuseSignature(request: Signable, reason: string): void {
  if (hasSignature(request)) throw new Refusal('invalid_signature', reason);
}

/** Returns undefined if the request is not signed. Refuses an invalid signature. */
export async function checkSignature(
  services: SignatureServices,
  { business, by }: Pick<Caller, 'business' | 'by'>,
  request: Signable,
  body: Buffer,
): Promise<CheckedRequest | undefined> {
  if (!hasSignature(request)) return undefined;
  if (by.kind !== 'key') throw new Refusal('invalid_signature', 'Only an agent can sign a request, with its API key.');
  try {
    const [input, given] = [headerOf(request, 'signature-input'), headerOf(request, 'signature')];
    const { parameters, signature } = parseSignature(input, given);
    checkCoverage(parameters, request.headers['idempotency-key'] !== undefined);
    checkParameters(parameters, Math.floor(Date.now() / 1_000));
    if (!isDigestOf(headerOf(request, 'content-digest'), digestOf(body)))
      throw new SignatureFault('Content-Digest is not that of the body as it came.');
    const key = await keyOf(services, business.id, by.agent.id, parameters);
    const values = await signedValues(services, request, key, parameters, signature);
    await services.loggedKeys.require({ ...key, partyId: business.id });
    const covered = Object.fromEntries(parameters.components.map((name) => [name, values[name] ?? '']));
    return {
      keyId: key.id,
      signatureInput: parameters.text,
      signature: Buffer.from(signature),
      components: JSON.stringify(covered),
      body,
      covered,
      nonce: parameters.nonce,
    };
  } catch (error) {
    if (error instanceof SignatureFault) throw new Refusal('invalid_signature', error.message);
    throw error;
  }
}

async function keyOf(
  { database }: SignatureServices,
  partyId: bigint,
  agentId: string,
  { keyid = '' }: SignatureParameters,
): Promise<SigningKeyRecord> {
  const id = parseId('sgk', keyid);
  const key = id === undefined ? undefined : await findKey(database, partyId, id);
  if (!key) throw new SignatureFault('Your business has no signing key with the id in keyid.');
  if (key.agentId !== agentId) throw new SignatureFault(`The signing key is that of another agent, ${formatId('agt', key.agentId)}.`);
  if (key.revokedAt) throw new SignatureFault('The signing key is revoked.');
  return key;
}

/**
 * The values that the key has signed. `@authority` is the host that the client has asked, or the public one: a proxy may have put its own
 * in place of the client's.
 */
async function signedValues(
  { publicUrl }: SignatureServices,
  request: Signable,
  { publicKey }: SigningKeyRecord,
  parameters: SignatureParameters,
  signature: Uint8Array,
): Promise<Components> {
  const asked = request.headers['host'];
  const hosts = new Set([...(typeof asked === 'string' ? [asked.toLowerCase()] : []), new URL(publicUrl).host]);
  const areNamed = parameters.components.includes('@authority');
  for (const host of areNamed ? hosts : [...hosts].slice(0, 1)) {
    const values = valuesOf(request, host);
    if (await isSignatureGenuine(publicKey, parameters, values, signature)) return values;
  }
  throw new SignatureFault(
    `The signature is not by this key, or not of this request${areNamed ? `, whose @authority is ${[...hosts].join(' or ')}` : ''}.`,
  );
}

/** The signature that is stored with a message. `json` is a part of the body, or null if the body has none. */
export function signatureOfMessage({ body, ...signed }: CheckedRequest, json: Buffer | null): CheckedSignature {
  const start = json === null ? body.length : json.byteOffset - body.byteOffset;
  const [bodyBefore, bodyAfter] = [body.subarray(0, start), body.subarray(start + (json?.length ?? 0))];
  if (bodyBefore.length + bodyAfter.length > SIGNED_REST_MAX_BYTES)
    throw new Refusal('invalid_signature', `The body of a signed message can have ${SIGNED_REST_MAX_BYTES} bytes around json at most.`);
  return { ...signed, nonceKey: nonceKeyOf(signed), bodyBefore, bodyAfter };
}

/** The error code of keep_signatures. */
const KEY_REVOKED = 'KR001';

/** Turns the error of a commit into a refusal, if the key was revoked since the signature was checked. */
export function refuseRevokedKey(error: unknown): never {
  if (codeOf(error) === KEY_REVOKED) throw new Refusal('invalid_signature', 'The signing key is revoked.');
  throw error;
}

/** Equals `contentDigest` of the client, in a fraction of the time. */
function digestOf(body: Buffer): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

function headerOf({ headers }: Signable, name: string): string {
  const value = headers[name];
  if (typeof value === 'string') return value;
  throw new SignatureFault('A signed request has the headers Signature-Input, Signature and Content-Digest; one of them is missing.');
}

function valuesOf({ method, url, headers }: Signable, authority: string): Components {
  const given = COVERED_HEADERS.map((name) => [name, headers[name]]).filter(([, value]) => typeof value === 'string');
  return { ...Object.fromEntries(given), '@method': method, '@authority': authority, '@path': url.split('?', 1)[0] ?? '' };
}

function checkParameters({ created = 0, expires, nonce }: SignatureParameters, nowS: number): void {
  if (nonce !== undefined && !NONCE.test(nonce))
    throw new SignatureFault(
      `The nonce must have ${SIGNATURE_NONCE_MIN_CHARS} to ${SIGNATURE_NONCE_MAX_CHARS} characters of base64 or base64url (A-Z, a-z, 0-9, and any of + / = - _).`,
    );
  if (Math.abs(nowS - created) > SIGNATURE_TOLERANCE_S)
    throw new SignatureFault(
      `The signature was created more than ${SIGNATURE_TOLERANCE_S} seconds before or after now, which is ${nowS}. Check your clock.`,
    );
  if (expires !== undefined && expires <= nowS) throw new SignatureFault('The signature has expired.');
}

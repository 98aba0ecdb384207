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
import { SIGNATURE_TOLERANCE_S, SIGNED_REST_MAX_BYTES } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { findKey } from './key-store.ts';
import type { MessageSignature, SignedRequest } from './signed-request.ts';

interface Signable {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

const COVERED_HEADERS = ['content-digest', 'idempotency-key', 'content-type', 'content-length'];

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
  database: Database,
  { business, by }: Pick<Caller, 'business' | 'by'>,
  request: Signable,
  body: Buffer,
): Promise<SignedRequest | undefined> {
  if (!hasSignature(request)) return undefined;
  if (by.kind !== 'key') throw new Refusal('invalid_signature', 'Only an agent can sign a request, with its API key.');
  try {
    const [input, given] = [headerOf(request, 'signature-input'), headerOf(request, 'signature')];
    const { parameters, signature } = parseSignature(input, given);
    const values = valuesOf(request);
    checkCoverage(parameters, values['idempotency-key'] !== undefined);
    checkTime(parameters, Math.floor(Date.now() / 1_000));
    if (!isDigestOf(headerOf(request, 'content-digest'), digestOf(body)))
      throw new SignatureFault('Content-Digest is not that of the body as it came.');
    const keyId = parseId('sgk', parameters.keyid ?? '');
    const key = keyId === undefined ? undefined : await findKey(database, business.id, keyId);
    if (!key) throw new SignatureFault('Your business has no signing key with the id in keyid.');
    if (key.agentId !== by.agent.id) throw new SignatureFault(`The signing key is that of another agent, ${formatId('agt', key.agentId)}.`);
    if (key.revokedAt) throw new SignatureFault('The signing key is revoked.');
    if (!(await isSignatureGenuine(key.publicKey, parameters, values, signature)))
      throw new SignatureFault('The signature is not by this key, or not of this request.');
    const covered = Object.fromEntries(parameters.components.map((name) => [name, values[name]]));
    return {
      keyId: key.id,
      signatureInput: parameters.text,
      signature: Buffer.from(signature),
      components: JSON.stringify(covered),
      body,
    };
  } catch (error) {
    if (error instanceof SignatureFault) throw new Refusal('invalid_signature', error.message);
    throw error;
  }
}

/** The signature that is stored with a message. `json` is a part of the body, or null if the body has none. */
export function signatureOfMessage({ body, ...signed }: SignedRequest, json: Buffer | null): MessageSignature {
  const start = json === null ? body.length : json.byteOffset - body.byteOffset;
  const [bodyBefore, bodyAfter] = [body.subarray(0, start), body.subarray(start + (json?.length ?? 0))];
  if (bodyBefore.length + bodyAfter.length > SIGNED_REST_MAX_BYTES)
    throw new Refusal('invalid_signature', `The body of a signed message can have ${SIGNED_REST_MAX_BYTES} bytes around json at most.`);
  return { ...signed, bodyBefore, bodyAfter };
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

function valuesOf({ method, url, headers }: Signable): Components {
  const given = COVERED_HEADERS.map((name) => [name, headers[name]]).filter(([, value]) => typeof value === 'string');
  return { ...Object.fromEntries(given), '@method': method, '@path': url.split('?', 1)[0] ?? '' };
}

function checkTime({ created = 0, expires }: SignatureParameters, nowS: number): void {
  if (Math.abs(nowS - created) > SIGNATURE_TOLERANCE_S)
    throw new SignatureFault(
      `The signature was created more than ${SIGNATURE_TOLERANCE_S} seconds before or after now, which is ${nowS}. Check your clock.`,
    );
  if (expires !== undefined && expires <= nowS) throw new SignatureFault('The signature has expired.');
}

import {
  checkCoverage,
  contentDigest,
  isDigestOf,
  isSignatureGenuine,
  isWeakKey,
  parseParameters,
  SignatureFault,
  type SignatureParameters,
} from '@waybill/client';
import type { BundleSignature } from './bundle.ts';
import { fromBase64 } from './bytes.ts';
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { LEAF } from './leaf.ts';
import type { Policy } from './policy.ts';
import type { Reason } from './reasons.ts';
import { isSameParty, type KeyStatement, type Party, parseKeyStatement } from './statements.ts';
import { CLOCKS_DIFFER_MAX_S } from './timestamp.ts';
import type { VerifiedProof } from './tlog-proof.ts';
import { isBefore, verifyStatement } from './verify-logged.ts';

/** A service accepts a signature within 5 minutes before or after it was made. The clock of its database may differ from its own. */
const TOLERANCE_S = 600;
const NONCE = /^[A-Za-z0-9+/=_-]{16,64}$/;

/** What a request must be for the statement that became of it. */
export interface Expected {
  path: string;
  party: Party;
  agent: string;
  at: string;
  /** The leaf of that statement. Undefined: no log that is trusted has it. */
  place: VerifiedProof | undefined;
  /** The names of the service that has the log. */
  authorities: readonly string[];
}

export interface VerifiedRequest {
  key: KeyStatement;
  /** The log that has the key. */
  origin: string;
  revokedAt: string | undefined;
  components: Readonly<Record<string, string>>;
  body: Record<string, unknown>;
  /** What the signature leaves open, in words. */
  notCovered: string[];
}

/** Throws unless a registered key of the agent signed this request (RFC 9421). What is in the body is for the caller to compare. */
export async function verifyRequest(signature: BundleSignature, expected: Expected, policy: Policy): Promise<VerifiedRequest> {
  const { key, place } = await verifyKey(signature, expected, policy);
  const revokedAt = await verifyRevocation(signature, key, expected, policy);
  const parameters = await verifyParts(signature, key, expected);
  const { components } = signature;
  const authority = components['@authority'];
  if (authority !== undefined && !expected.authorities.includes(authority))
    throw new ProofError(`The request is signed for another service, ${authority}.`, 'another-service');
  const notCovered = [...(authority === undefined ? ['the service'] : []), ...(parameters.nonce === undefined ? ['a nonce'] : [])];
  return { key, origin: place.checkpoint.origin, revokedAt, components, body: bodyOf(signature), notCovered };
}

async function verifyKey(
  { key: statement, key_proof: proof }: BundleSignature,
  { party, agent, at, place: signed }: Expected,
  policy: Policy,
): Promise<{ key: KeyStatement; place: VerifiedProof }> {
  const key = parseKeyStatement(statement);
  const place = await verifyStatement(LEAF.key, { statement, proof }, policy);
  if (key.state !== 'registered') throw new ProofError('The statement of the signing key is not its registration.', 'key-not-registered');
  if (!isSameParty(key.party, party) || key.agent !== agent)
    throw new ProofError('The signing key is not one of the agent who acted.', 'key-of-somebody-else');
  if (isWeakKey(fromBase64(key.publicKey, 'The signing key')))
    throw new ProofError('The signing key is one for which anybody can make signatures.', 'weak-key');
  const isLater = Date.parse(key.at) > Date.parse(at) + 1_000 * CLOCKS_DIFFER_MAX_S;
  if (isLater || (signed && isBefore(place, signed) === false))
    throw new ProofError('The signing key was registered after what it signed.', 'key-after-signature');
  return { key, place };
}

/** Throws if the key was revoked before what it signed. Returns when it was revoked later. */
async function verifyRevocation(
  { revocation }: BundleSignature,
  key: KeyStatement,
  { at, place: signed }: Expected,
  policy: Policy,
): Promise<string | undefined> {
  if (!revocation) return undefined;
  const revoked = parseKeyStatement(revocation.statement);
  const place = await verifyStatement(LEAF.key, revocation, policy);
  const isOfKey = revoked.id === key.id && revoked.publicKey === key.publicKey && isSameParty(revoked.party, key.party);
  if (revoked.state !== 'revoked' || !isOfKey) throw new ProofError('The revocation is not that of the signing key.', 'another-revocation');
  if (Date.parse(revoked.at) < Date.parse(at) || (signed && isBefore(place, signed) === true))
    throw new ProofError(`The signing key was revoked at ${revoked.at}, before what it signed.`, 'revoked-before');
  return revoked.at;
}

async function verifyParts(given: BundleSignature, key: KeyStatement, { path, at }: Expected): Promise<SignatureParameters> {
  const { components, body } = given;
  const parameters = readFrom('malformed', () => parseParameters(given.signature_input));
  readFrom('covers-too-little', () => checkCoverage(parameters, components['idempotency-key'] !== undefined));
  const { keyid, created = 0, expires = Number.POSITIVE_INFINITY, nonce } = parameters;
  if (nonce !== undefined && !NONCE.test(nonce)) throw new ProofError('The nonce of the signature is not 16 to 64 characters of base64.');
  if (keyid !== key.id) throw new ProofError('The signature names another key.', 'another-key-id');
  const atS = Date.parse(at) / 1_000;
  if (!(Math.abs(atS - created) <= TOLERANCE_S)) throw new ProofError('The signature was made at another time.', 'another-time');
  if (atS > expires + CLOCKS_DIFFER_MAX_S) throw new ProofError('The signature had expired.', 'another-time');
  const names = Object.keys(components);
  if (names.length !== parameters.components.length || names.some((name) => components[name]?.trim() !== components[name]))
    throw new ProofError('The components of the signature are not those that it covers.', 'other-components');
  if (components['@method'] !== 'POST' || components['@path'] !== path)
    throw new ProofError('What was signed is another request.', 'another-request');
  const isOfBody = readFrom('malformed', () => isDigestOf(components['content-digest'] ?? '', contentDigest(body)));
  if (!isOfBody) throw new ProofError('The signature is of another body.', 'another-body');
  const publicKey = fromBase64(key.publicKey, 'The signing key');
  const bytes = fromBase64(given.signature, 'The signature');
  if (publicKey.length !== PUBLIC_KEY_BYTES || bytes.length !== SIGNATURE_BYTES)
    throw new ProofError('The signature is not one of Ed25519.');
  if (!(await isGenuine(publicKey, parameters, components, bytes))) throw new ProofError('The signature is wrong.', 'wrong-signature');
  return parameters;
}

function readFrom<T>(reason: Reason, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SignatureFault) throw new ProofError(error.message, reason);
    throw error;
  }
}

async function isGenuine(...given: Parameters<typeof isSignatureGenuine>): Promise<boolean> {
  try {
    return await isSignatureGenuine(...given);
  } catch (error) {
    if (error instanceof SignatureFault) throw new ProofError(error.message, 'other-components');
    // The key is no point of the curve.
    return false;
  }
}

function bodyOf({ body }: BundleSignature): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value));
  } catch {
    // Not JSON.
  }
  throw new ProofError('The body of the signed request is not a JSON object.');
}

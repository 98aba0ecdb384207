import {
  ALWAYS_HASHED,
  canonicalJson,
  checkCoverage,
  contentDigest,
  HASHED_IF_GIVEN,
  isDigestOf,
  isSignatureGenuine,
  memberText,
  parseParameters,
  SignatureFault,
  type SignatureParameters,
} from '@waybill/client';
import type { BundleSignature } from './bundle.ts';
import { fromBase64, sha256, toHex, utf8 } from './bytes.ts';
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { LEAF, leafOfStatement } from './leaf.ts';
import type { Policy } from './policy.ts';
import { type AcknowledgementStatement, type EnvelopeStatement, isSameParty, type Party, parseKeyStatement } from './statements.ts';
import { verifyLogged } from './verify-logged.ts';

/** A service accepts a signature within 5 minutes before or after it was made. The clock of its database may differ from its own. */
const TOLERANCE_S = 600;

interface Expected {
  path: string;
  party: Party;
  agent: string;
  at: string;
}

/** Throws unless a key of the sender's agent signed the request that became the message. Returns the key's id. */
export async function verifySender(signature: BundleSignature, envelope: EnvelopeStatement, policy: Policy): Promise<string> {
  const { from, actor, receivedAt } = envelope;
  const keyId = await verifyRequest(signature, { path: '/v1/messages', party: from, agent: actor.id, at: receivedAt }, policy);
  compareMessage(bodyOf(signature), envelope, memberText(signature.body, 'json'));
  return keyId;
}

/** Throws unless a key of the recipient's agent signed the acknowledgement. Returns the key's id. */
export async function verifyAcknowledger(signature: BundleSignature, said: AcknowledgementStatement, policy: Policy): Promise<string> {
  const path = `/v1/messages/${said.message}/acknowledge`;
  const keyId = await verifyRequest(signature, { path, party: said.party, agent: said.actor.id, at: said.at }, policy);
  const body = bodyOf(signature);
  if (body['status'] !== said.status || (body['reason'] ?? null) !== said.reason)
    throw new ProofError('The signed request says something else.');
  return keyId;
}

async function verifyRequest(signature: BundleSignature, { path, party, agent, at }: Expected, policy: Policy): Promise<string> {
  const key = parseKeyStatement(signature.key);
  await verifyLogged(signature.key_proof, leafOfStatement(LEAF.key, signature.key), policy);
  if (key.state !== 'registered' || !isSameParty(key.party, party) || key.agent !== agent)
    throw new ProofError('The signing key is not one of the agent who acted.');
  const { components, body } = signature;
  try {
    const parameters = parseParameters(signature.signature_input);
    checkCoverage(parameters, components['idempotency-key'] !== undefined);
    checkParameters(parameters, key.id, at);
    const names = Object.keys(components);
    if (names.length !== parameters.components.length || names.some((name) => components[name]?.trim() !== components[name]))
      throw new ProofError('The components of the signature are not those that it covers.');
    if (components['@method'] !== 'POST' || components['@path'] !== path) throw new ProofError('What was signed is another request.');
    if (!isDigestOf(components['content-digest'] ?? '', contentDigest(body))) throw new ProofError('The signature is of another body.');
    const publicKey = fromBase64(key.publicKey, 'The signing key');
    const bytes = fromBase64(signature.signature, 'The signature');
    if (publicKey.length !== PUBLIC_KEY_BYTES || bytes.length !== SIGNATURE_BYTES)
      throw new ProofError('The signature is not one of Ed25519.');
    if (!(await isSignatureGenuine(publicKey, parameters, components, bytes))) throw new ProofError('The signature is wrong.');
  } catch (error) {
    if (error instanceof ProofError) throw error;
    throw new ProofError(error instanceof SignatureFault ? error.message : 'The signature is wrong.');
  }
  return key.id;
}

function checkParameters({ keyid, created = 0 }: SignatureParameters, keyId: string, at: string): void {
  if (keyid !== keyId) throw new ProofError('The signature names another key.');
  if (!(Math.abs(Date.parse(at) / 1_000 - created) <= TOLERANCE_S)) throw new ProofError('The signature was made at another time.');
}

/** The sender's fields must be those of the message. Fields that the service added, such as ids and times, are signed by nobody else. */
function compareMessage(body: Record<string, unknown>, envelope: EnvelopeStatement, jsonText = ''): void {
  const fields: [written: unknown, sent: unknown][] = [
    ...[...ALWAYS_HASHED, ...HASHED_IF_GIVEN].map((name): [unknown, unknown] => [body[name] ?? null, envelope[name]]),
    ['json' in body ? hashOfJson(body['json']) : null, envelope.jsonSha256],
    ...(envelope.jsonBytesSha256 === null ? [] : [[hashOf(jsonText), envelope.jsonBytesSha256] satisfies [string, string]]),
    // Uploads have other ids than the files that they become.
    [Array.isArray(body['files']) ? body['files'].length : 0, envelope.files.length],
  ];
  if (typeof body['in_reply_to'] === 'string') fields.push([body['in_reply_to'], envelope.inReplyTo]);
  if (typeof body['to'] === 'string') fields.push([isAddressOf(body['to'], envelope), true]);
  if (fields.some(([written, sent]) => written !== sent)) throw new ProofError('The signed request is not that of this message.');
}

/** Undefined: the JSON has no canonical form, because a number is too large, or it has too many levels. */
function hashOfJson(json: unknown): string | undefined {
  try {
    return hashOf(canonicalJson(json));
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return `sha256:${toHex(sha256(utf8(text)))}`;
}

/** `globex`, `globex/orders`, `@globex`, or a mail address: `globex@…`, `globex+orders@…`. */
function isAddressOf(to: string, { to: { id }, segment }: EnvelopeStatement): boolean {
  const address = to.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/^@/, '');
  const [, name, , wanted] = /^([^/@+]+)([/+]([^/@+]+))?(?:@[^@]+)?$/.exec(address) ?? [];
  return address === id || (name === id && (wanted === undefined || wanted === segment));
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

import { canonicalJson, filesHash, memberText } from '@waybill/client';
import type { BundleSignature } from './bundle.ts';
import { hashOf } from './bytes.ts';
import { ProofError } from './errors.ts';
import type { Policy } from './policy.ts';
import { type Expected, type VerifiedRequest, verifyRequest } from './signed-request.ts';
import { type EnvelopeStatement, type Party, WRITTEN_TEXTS } from './statements.ts';
import { CLOCKS_DIFFER_MAX_S } from './timestamp.ts';

type Hashes = ReadonlyMap<string, string | null>;

/**
 * Throws unless a key of the sender's agent signed the request that became the message. `hashes` are those of the files, by id, with those that a later
 * statement gave.
 */
export async function verifySender(
  signature: BundleSignature,
  envelope: EnvelopeStatement,
  hashes: Hashes,
  { place, authorities }: Pick<Expected, 'place' | 'authorities'>,
  policy: Policy,
): Promise<VerifiedRequest> {
  const { from: party, actor, receivedAt: at } = envelope;
  const request = await verifyRequest(signature, { path: '/v1/messages', party, agent: actor.id, at, place, authorities }, policy);
  compareMessage(request.body, envelope, memberText(signature.body, 'json'));
  compareRecipient(request, envelope.to);
  compareFiles(request, envelope, hashes);
  return request;
}

/** The sender's fields must be those of the message. Fields that the service added, such as ids and times, are signed by nobody else. */
function compareMessage(body: Record<string, unknown>, envelope: EnvelopeStatement, jsonText = ''): void {
  const fields: [written: unknown, sent: unknown][] = [
    ...WRITTEN_TEXTS.map((name): [unknown, unknown] => [body[name] ?? null, envelope[name]]),
    ['json' in body ? hashOfJson(body['json']) : null, envelope.jsonSha256],
    ...(envelope.jsonBytesSha256 === null ? [] : [[hashOf(jsonText), envelope.jsonBytesSha256] satisfies [string, string]]),
    [isExpiryOf(body['expires_in'], envelope), true],
    // A new message must not become the reply to a question.
    [body['in_reply_to'] ?? null, envelope.inReplyTo],
  ];
  if (fields.some(([written, sent]) => written !== sent))
    throw new ProofError('The signed request is not that of this message.', 'another-content');
  // Uploads have other ids than the files that they become.
  if ((Array.isArray(body['files']) ? body['files'].length : 0) !== envelope.files.length)
    throw new ProofError('The signed request has another number of files.', 'other-files');
  if (typeof body['to'] === 'string' && !isAddressOf(body['to'], envelope))
    throw new ProofError('The signed request is to another recipient.', 'another-recipient');
}

/** A number can be too large for a canonical form, and the JSON can have too many levels. */
function hashOfJson(json: unknown): string {
  try {
    return hashOf(canonicalJson(json));
  } catch {
    throw new ProofError('The JSON of the signed request has no canonical form.');
  }
}

/** The service turns the seconds of a request into a time. A limit much earlier would let it log that nobody took the message in time. */
function isExpiryOf(seconds: unknown, { receivedAt, expiresAt }: EnvelopeStatement): boolean {
  if (expiresAt === null || typeof seconds !== 'number') return expiresAt === null && (seconds ?? null) === null;
  return Math.abs(Date.parse(expiresAt) - Date.parse(receivedAt) - 1_000 * seconds) <= 1_000 * CLOCKS_DIFFER_MAX_S;
}

/** `globex`, `globex/orders`, `@globex`, or a mail address: `globex@…`, `globex+orders@…`, or of the domain. Without a segment, it is to none. */
function isAddressOf(to: string, { to: party, segment }: EnvelopeStatement): boolean {
  const address = to.toLowerCase().replace(/^@/, '');
  if (party.kind !== 'handle') return isRecipient(address, party, undefined);
  const [, name, wanted = null] = /^([^/@+]+)(?:[/+]([^/@+]+))?(?:@[^@]+)?$/.exec(address) ?? [];
  return name === party.id && wanted === segment;
}

/** `waybill-recipient` names the recipient also where the body names none: in a reply. */
function compareRecipient({ components, notCovered }: VerifiedRequest, to: Party): void {
  const header = components['waybill-recipient'];
  if (header === undefined) notCovered.push('the recipient');
  else if (!isRecipient(decoded(header), to, components['@authority']?.replace(/:\d+$/, '')))
    throw new ProofError('The request is signed for another recipient.', 'another-recipient');
}

/** An address at the service's own host is that of a handle. */
function isRecipient(address: string, { kind, id }: Party, host: string | undefined): boolean {
  const party = id.toLowerCase();
  if (address === party) return true;
  const at = address.lastIndexOf('@');
  const [name, domain] = [address.slice(0, Math.max(0, at)), address.slice(at + 1)];
  if (kind === 'domain') return name !== '' && domain === party;
  return kind === 'handle' && domain === host && name.split('+')[0] === party;
}

function decoded(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    throw new ProofError('The recipient of the signed request is not percent-encoded UTF-8.');
  }
}

/** `waybill-files` is the hash of the hashes, one a line. */
function compareFiles({ components, notCovered }: VerifiedRequest, { files }: EnvelopeStatement, hashes: Hashes): void {
  const header = components['waybill-files'];
  if (header === undefined) {
    if (files.length > 0) notCovered.push('the files');
    return;
  }
  const known = files.flatMap(({ id }) => hashes.get(id) ?? []);
  if (known.length < files.length) notCovered.push('the files (the proof lacks the hash of a large one)');
  else if (header !== filesHash(known)) throw new ProofError('The request is signed with other files.', 'other-files');
}

import { ALWAYS_HASHED, HASHED_IF_GIVEN, type HashedTexts, NO_HASHED_TEXTS } from '@waybill/client';
import { CRLS_MAX } from './crl.ts';
import { ProofError } from './errors.ts';
import { parseCanonical, type StrictObject } from './strict-json.ts';

/* The statements whose hashes are in the log: canonical JSON, each with exactly these members. */

export interface Party {
  kind: 'handle' | 'domain' | 'mailbox';
  /** The handle, the domain or the mail address. */
  id: string;
  displayName: string;
}

export interface Actor {
  id: string;
  name: string;
}

export interface EnvelopeFile {
  id: string;
  filename: string;
  sizeBytes: number;
  /** Null: a large file, which was hashed after delivery. */
  sha256: string | null;
}

/** What the sender writes. A request has `expires_in` for `expires_at`. */
type WrittenTexts = Omit<HashedTexts, 'expires_at'>;

/** The content that a message's `content_hash` is the hash of. Its texts are those of the API, by the same names. */
export interface EnvelopeStatement extends WrittenTexts {
  id: string;
  inReplyTo: string | null;
  from: Party;
  actor: Actor;
  to: Party;
  segment: string | null;
  jsonSha256: string | null;
  /** The hash of the text as sent. Null: no JSON, or a message from before this hash was recorded. */
  jsonBytesSha256: string | null;
  files: EnvelopeFile[];
  receivedAt: string;
  /** When the sender wants to know if nobody took the message. Null: never. */
  expiresAt: string | null;
}

export interface FileStatement {
  file: string;
  message: string;
  sha256: string;
  sizeBytes: number;
}

/** The members that hand-overs, acknowledgements and non-delivery have in common. */
export interface LinkStatement {
  at: string;
  contentHash: string;
  message: string;
  /** The recipient. */
  party: Party;
  /** From 1, for each message. Undefined: an acknowledgement from before they were numbered. */
  number: number | undefined;
  /** The hash of the statement before. Null: the first. */
  previous: string | null;
}

export interface AcknowledgementStatement extends LinkStatement {
  actor: Actor;
  reason: string | null;
  status: string;
}

export interface HandOverStatement extends LinkStatement {
  way: string;
}

export interface NonDeliveryStatement extends LinkStatement {
  expiresAt: string;
}

/** A domain publishes these keys of a party, or has stopped to. */
export interface DomainStatement {
  at: string;
  domain: string;
  keys: string[];
  party: Party;
  state: string;
}

export interface KeyStatement {
  agent: string;
  at: string;
  id: string;
  party: Party;
  publicKey: string;
  state: string;
}

/** The log had this timestamp of one of its checkpoints, with these lists of revoked certificates. Hashes are those of their bytes. */
export interface TimestampStatement {
  at: string;
  /** The hash of the text that was stamped. */
  checkpoint: string;
  /** Sorted. */
  crls: string[];
  size: number;
  token: string;
}

export const WRITTEN_TEXTS = [...ALWAYS_HASHED, ...HASHED_IF_GIVEN].filter((name) => name !== 'expires_at');

/** No id can be of two kinds: else what is signed for a handle could be delivered to a mailbox that is called like it. */
const PARTY_ID = {
  handle: /^[a-z0-9-]+$/,
  // Separators and control characters: \s has others in each language.
  domain: /^[^@.\p{Z}\p{Cc}]+(?:\.[^@.\p{Z}\p{Cc}]+)+$/u,
  mailbox: /^[^\p{Z}\p{Cc}]+@[^@\p{Z}\p{Cc}]+$/u,
} as const;
const FILES_MAX = 100;
const DOMAIN_KEYS_MAX = 100;

/** Longer than any: 100 files with the longest names, escaped. */
const ENVELOPE_CHARACTERS_MAX = 4_194_304;

export function parseEnvelope(text: string): EnvelopeStatement {
  if (text.length > ENVELOPE_CHARACTERS_MAX) throw new ProofError(`The envelope is longer than ${ENVELOPE_CHARACTERS_MAX} characters.`);
  return parseCanonical(text, 'The envelope', (envelope) => {
    const from = envelope.object('from', (side) => ({ party: side.object('party', readParty), actor: side.object('actor', readActor) }));
    // Messages from before segments were recorded have none.
    const to = envelope.object('to', (side) => ({
      party: side.object('party', readParty),
      segment: side.has('segment') ? side.textOrNull('segment') : null,
    }));
    envelope.text('thread_id');
    return {
      id: envelope.text('id'),
      inReplyTo: envelope.textOrNull('in_reply_to'),
      from: from.party,
      actor: from.actor,
      to: to.party,
      segment: to.segment,
      ...readTexts(envelope),
      jsonSha256: envelope.textOrNull('json_sha256'),
      jsonBytesSha256: envelope.optionalText('json_bytes_sha256') ?? null,
      files: readFiles(envelope),
      receivedAt: envelope.time('received_at'),
      expiresAt: envelope.has('expires_at') ? envelope.time('expires_at') : null,
    };
  });
}

export function parseFileStatement(text: string): FileStatement {
  return parseCanonical(text, 'The statement of a file', (file) => ({
    file: file.text('file'),
    message: file.text('message'),
    sha256: file.text('sha256'),
    sizeBytes: file.count('size_bytes'),
  }));
}

export function parseAcknowledgement(text: string): AcknowledgementStatement {
  return parseCanonical(text, 'The statement of an acknowledgement', (said) => ({
    ...readLink(said, said.has('number') || said.has('previous')),
    actor: said.object('actor', readActor),
    reason: said.textOrNull('reason'),
    status: said.text('status'),
  }));
}

export function parseHandOver(text: string): HandOverStatement {
  return parseCanonical(text, 'The statement of a hand-over', (said) => {
    const way = said.text('way');
    if (!['webhook', 'consumer'].includes(way)) throw new ProofError('The statement of a hand-over names an unknown way.');
    return { ...readLink(said, true), way };
  });
}

export function parseNonDelivery(text: string): NonDeliveryStatement {
  return parseCanonical(text, 'The statement of non-delivery', (said) => ({ ...readLink(said, true), expiresAt: said.time('expires_at') }));
}

export function parseDomainStatement(text: string): DomainStatement {
  return parseCanonical(text, 'The statement of a domain', (said) => ({
    at: said.time('at'),
    domain: said.text('domain'),
    keys: said.textList('keys', DOMAIN_KEYS_MAX),
    party: said.object('party', readParty),
    state: said.text('state'),
  }));
}

export function parseTimestampStatement(text: string): TimestampStatement {
  return parseCanonical(text, 'The statement of a timestamp', (said) => ({
    at: said.time('at'),
    checkpoint: said.text('checkpoint'),
    crls: said.textList('crls', CRLS_MAX),
    size: said.count('size'),
    token: said.text('token'),
  }));
}

function readLink(said: StrictObject, isNumbered: boolean): LinkStatement {
  return {
    at: said.time('at'),
    contentHash: said.text('content_hash'),
    message: said.text('message'),
    party: said.object('party', readParty),
    number: isNumbered ? said.count('number') : undefined,
    previous: isNumbered ? said.textOrNull('previous') : null,
  };
}

export function parseKeyStatement(text: string): KeyStatement {
  return parseCanonical(text, 'The statement of a key', (key) => ({
    agent: key.text('agent'),
    at: key.time('at'),
    id: key.text('id'),
    party: key.object('party', readParty),
    publicKey: key.text('public_key'),
    state: key.text('state'),
  }));
}

/** Whether both are the same business, organisation or mailbox. The display name may have changed. */
export function isSameParty(one: Party, other: Party): boolean {
  return one.kind === other.kind && one.id === other.id;
}

export function nameOf({ displayName, id }: Party): string {
  return `${displayName} (${id})`;
}

function readTexts(envelope: StrictObject): WrittenTexts {
  const { expires_at: _, ...texts }: HashedTexts = NO_HASHED_TEXTS;
  for (const name of WRITTEN_TEXTS)
    texts[name] = ALWAYS_HASHED.includes(name) ? envelope.textOrNull(name) : (envelope.optionalText(name) ?? null);
  return texts;
}

/** Each has an id of its own: what is said of a file names its id. */
function readFiles(envelope: StrictObject): EnvelopeFile[] {
  const files = envelope.list('files', FILES_MAX, readFile);
  if (new Set(files.map(({ id }) => id)).size < files.length) throw new ProofError('Two files of the envelope have one id.');
  return files;
}

function readParty(party: StrictObject): Party {
  const kind = party.text('kind');
  if (kind !== 'handle' && kind !== 'domain' && kind !== 'mailbox') throw new ProofError('A party is of an unknown kind.');
  const id = party.text(kind === 'mailbox' ? 'email' : kind);
  if (!PARTY_ID[kind].test(id)) throw new ProofError(`A party has an id that is no ${kind}.`);
  return { kind, id, displayName: party.text('display_name') };
}

function readActor(actor: StrictObject): Actor {
  for (const name of ['kind', 'provider']) actor.text(name);
  actor.textOrNull('email');
  actor.flag('verified');
  return { id: actor.text('id'), name: actor.text('name') };
}

function readFile(file: StrictObject): EnvelopeFile {
  file.text('content_type');
  return { id: file.text('id'), filename: file.text('filename'), sizeBytes: file.count('size_bytes'), sha256: file.textOrNull('sha256') };
}

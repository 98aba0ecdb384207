import { ALWAYS_HASHED, HASHED_IF_GIVEN, type HashedTexts, NO_HASHED_TEXTS } from '@waybill/client';
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

/** The content that a message's `content_hash` is the hash of. Its texts are those of the API, by the same names. */
export interface EnvelopeStatement extends HashedTexts {
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
}

export interface FileStatement {
  file: string;
  message: string;
  sha256: string;
  sizeBytes: number;
}

export interface AcknowledgementStatement {
  actor: Actor;
  at: string;
  contentHash: string;
  message: string;
  party: Party;
  reason: string | null;
  status: string;
}

export interface KeyStatement {
  agent: string;
  at: string;
  id: string;
  party: Party;
  publicKey: string;
  state: string;
}

const FILES_MAX = 100;

export function parseEnvelope(text: string): EnvelopeStatement {
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
      files: envelope.list('files', FILES_MAX, readFile),
      receivedAt: envelope.text('received_at'),
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
    actor: said.object('actor', readActor),
    at: said.text('at'),
    contentHash: said.text('content_hash'),
    message: said.text('message'),
    party: said.object('party', readParty),
    reason: said.textOrNull('reason'),
    status: said.text('status'),
  }));
}

export function parseKeyStatement(text: string): KeyStatement {
  return parseCanonical(text, 'The statement of a key', (key) => ({
    agent: key.text('agent'),
    at: key.text('at'),
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

function readTexts(envelope: StrictObject): HashedTexts {
  const texts = { ...NO_HASHED_TEXTS };
  for (const name of ALWAYS_HASHED) texts[name] = envelope.textOrNull(name);
  for (const name of HASHED_IF_GIVEN) texts[name] = envelope.optionalText(name) ?? null;
  return texts;
}

function readParty(party: StrictObject): Party {
  const kind = party.text('kind');
  const id = kind === 'handle' ? party.text('handle') : kind === 'domain' ? party.text('domain') : party.text('email');
  return { kind: kind === 'handle' || kind === 'domain' ? kind : 'mailbox', id, displayName: party.text('display_name') };
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

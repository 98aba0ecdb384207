import { createHash } from 'node:crypto';
import { canonicalJson } from '@waybill/client';
import { LEAF, type LeafType } from '../../src/index.ts';
import { keyOf } from './keys.ts';

/* What the parties and the service say of a message that has everything, before anything is signed or logged. Keys and times are fixed. */

export const AUTHORITY = 'waybill.example.com';
const RECEIVED_AT = '2026-11-17T09:00:00.123Z';
/** The JSON as the sender wrote it. */
export const WRITTEN_JSON = '{"order": 4711, "total": 1.0, "items":[{"sku":"A-1","quantity":3,"note":"Größe \\u00E9"}]}';
const FILE = new TextEncoder().encode('The drawing of part A-1.\n');

export const acme = { display_name: 'Acme', handle: 'acme', kind: 'handle' };
export const globex = { display_name: 'Globex Corporation', handle: 'globex', kind: 'handle' };
type PartyView =
  | typeof acme
  | { display_name: string; email: string; kind: 'mailbox' }
  | { display_name: string; domain: string; kind: 'domain' };
const agent = (id: string, name: string) => ({ email: null, id, kind: 'agent', name, provider: 'api_key', verified: true });
export const id = (prefix: string, digit: number) => `${prefix}_${'0'.repeat(25)}${digit}`;
export const hashText = (text: string | Uint8Array) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
export const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);

/** A request that somebody signs. */
export interface SaidRequest {
  /** Whose key signs. */
  by: string;
  path: string;
  /** `{content_hash}` and `{number}` stand for what is known when the message is in the log. */
  body: string;
  createdS: number;
  /** Covered beside method, path and digest. Undefined: left out. */
  components: Record<string, string | undefined>;
  nonce: string | undefined;
  /** When the signature expires. */
  expiresS?: number;
  /** Parameters behind the others, in any form. */
  more?: string;
}

/** A hand-over, an acknowledgement or non-delivery. Number, previous and content hash are right unless they are given. */
export interface SaidLink {
  kind: 'hand-over' | 'acknowledgement' | 'expiry';
  at: string;
  index: number;
  party: PartyView;
  message: string;
  content_hash?: string;
  /** Null: a statement from before there were numbers. */
  number?: number | null;
  previous?: string | null;
  way?: string;
  status?: string;
  reason?: string | null;
  expires_at?: string;
  signed?: SaidRequest;
}

export type Words = ReturnType<typeof said>;

export function said(json = WRITTEN_JSON) {
  const files = [
    { content_type: 'text/plain', filename: 'drawing.txt', id: id('file', 1), sha256: hashText(FILE), size_bytes: FILE.length },
    { content_type: 'image/tiff', filename: 'scan “A”.tiff', id: id('file', 2), sha256: null as string | null, size_bytes: 209_715_200 },
  ];
  const scan = hashText('a large file');
  const chain: SaidLink[] = [
    { kind: 'hand-over', at: '2026-11-17T09:00:00.500Z', index: 22, party: globex, message: id('msg', 1), way: 'webhook' },
    acknowledgement('accepted', 'In stock', '2026-11-17T09:00:01.500Z', 28),
    acknowledgement('processed', null, '2026-11-17T09:00:01.700Z', 30),
  ];
  return {
    envelope: {
      // In messages with a time limit.
      expires_at: undefined as string | undefined,
      files,
      from: { actor: agent(id('agt', 1), 'Order desk'), party: acme },
      id: id('msg', 1),
      in_reply_to: null as string | null,
      // Messages from before this hash was recorded lack it.
      json_bytes_sha256: hashText(json) as string | undefined,
      json_sha256: hashText(canonicalJson(JSON.parse(json))),
      note: 'Bitte bis Freitag – danke! 🙂',
      received_at: RECEIVED_AT,
      subject: 'Order 4711',
      thread_id: id('thr', 1),
      to: { party: globex as PartyView, segment: 'orders' as string | null },
      type: 'order',
    },
    file: { file: id('file', 2), message: id('msg', 1), sha256: scan, size_bytes: 209_715_200 },
    senderKey: keyStatement('sender', id('sgk', 1), id('agt', 1), acme),
    recipientKey: keyStatement('recipient', id('sgk', 2), id('agt', 2), globex),
    /** The revocation of the sender's key: changes to its statement. */
    revocation: undefined as { at: string; id?: string; state?: string } | undefined,
    domain: { at: '2026-02-01T08:00:00.000Z', domain: 'globex.example', keys: [publicKeyOf('recipient')], party: globex, state: 'bound' },
    recipientActor: agent(id('agt', 2), 'Fulfilment'),
    chain,
    json,
    sent: {
      by: 'sender',
      path: '/v1/messages',
      body: `{"to":"globex/orders","type":"order","subject":"Order 4711","note":"Bitte bis Freitag – danke! 🙂","json":${json},"files":["upl_1","upl_2"]}`,
      createdS: seconds(RECEIVED_AT) - 1,
      components: {
        '@authority': AUTHORITY,
        'idempotency-key': 'order-4711',
        'waybill-recipient': 'globex',
        'waybill-files': hashText(`${files[0]?.sha256}\n${scan}\n`),
      },
      nonce: 'Zm9yIHRoZSBtZXNzYWdl',
    } satisfies SaidRequest as SaidRequest,
    messageLeafType: LEAF.message as LeafType,
    /** The index of each statement. Null: in the log that the service had before. */
    places: { senderKey: null as number | null, recipientKey: 9, domain: 12, message: 20, file: 25, revocation: 35, timestamp: 45 },
    witnessedAt: '2026-11-17T09:00:02.000Z',
    /** The keys of the log that sign the newest checkpoint, and that of the timestamp. */
    logKeys: { newest: ['first'], timestamped: ['first'] } as Record<'newest' | 'timestamped', ('first' | 'second')[]>,
    /** The number of witnesses that cosigned each. */
    witnesses: { newest: 2, timestamped: 2 },
    /** Changes to the log's statement of the timestamp. Undefined: it has none, and so no renewal. */
    timestamp: undefined as { checkpoint?: string; crls?: string[]; token?: string } | undefined,
    successions: [] as { old: string; next: string; by: 'first' | 'second' | 'third'; log: string }[],
  };
}

/** The statement of a sender or recipient who signs as in 0.2: neither service, recipient, files nor a nonce are covered. */
export function signAsBefore(words: Words): void {
  words.sent.components = { 'idempotency-key': 'order-4711' };
  words.sent.nonce = undefined;
  for (const { signed } of words.chain) {
    if (!signed) continue;
    signed.components = {};
    signed.nonce = undefined;
    signed.body = signed.body.replace(',"content_hash":"{content_hash}","number":{number}', '');
  }
}

/** Acknowledgements and requests as 0.2 made them. */
export function asBefore(words: Words): void {
  signAsBefore(words);
  words.chain = words.chain.filter(({ kind }) => kind === 'acknowledgement').map((link) => ({ ...link, number: null }));
}

/** Nobody takes the message within a minute. */
export function expire(words: Words): void {
  words.envelope.expires_at = '2026-11-17T09:01:00.123Z';
  words.sent.body = words.sent.body.replace('{"to"', '{"expires_in":60,"to"');
  words.witnessedAt = '2026-11-17T09:01:10.000Z';
  const { expires_at } = words.envelope;
  words.chain = [{ kind: 'expiry', at: '2026-11-17T09:01:05.000Z', index: 40, party: globex, message: words.envelope.id, expires_at }];
}

/** The link of that kind, or the acknowledgement of that status. */
export function linkOf({ chain }: Words, what: string): SaidLink {
  const link = chain.find(({ kind, status }) => kind === what || status === what);
  if (!link) throw new Error(`the sample has no ${what}`);
  return link;
}

export function requestOf(words: Words, status: string): SaidRequest {
  const { signed } = linkOf(words, status);
  if (!signed) throw new Error(`“${status}” is not signed`);
  return signed;
}

/** 32 bytes in base64. */
export function publicKeyOf(seed: string): string {
  return Buffer.from(keyOf(seed).publicKey).toString('base64');
}

export function acknowledgement(status: string, reason: string | null, at: string, index: number): SaidLink {
  const told = reason === null ? '' : `,"reason":${JSON.stringify(reason)}`;
  const signed: SaidRequest = {
    by: 'recipient',
    path: `/v1/messages/${id('msg', 1)}/acknowledge`,
    body: `{"status":"${status}"${told},"content_hash":"{content_hash}","number":{number}}`,
    createdS: seconds(at),
    components: { '@authority': AUTHORITY },
    nonce: `${Buffer.from(`for ${status}`).toString('base64url')}_of_4711`,
  };
  return { kind: 'acknowledgement', status, reason, at, index, party: globex, message: id('msg', 1), signed };
}

function keyStatement(seed: string, keyId: string, agentId: string, party: typeof acme) {
  return { agent: agentId, at: '2026-01-05T08:00:00.000Z', id: keyId, party, public_key: publicKeyOf(seed), state: 'registered' };
}

import { randomFillSync } from 'node:crypto';

/** An id is a prefix and a UUIDv7 in Crockford's base32, lower case (the TypeID form). It is stored as a plain uuid. */
export type IdPrefix =
  | 'msg'
  | 'thr'
  | 'agt'
  | 'key'
  | 'sgk'
  | 'inv'
  | 'usr'
  | 'ses'
  | 'mbx'
  | 'file'
  | 'upl'
  | 'wh'
  | 'dlv'
  | 'evt'
  | 'rcv'
  | 'blk'
  | 'ctc'
  | 'cmt'
  | 'view'
  | 'ntf'
  | 'job'
  | 'req';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const UUID_CHARS = 26;
const DASH = 0x2d;
const RECEIPT_RANDOM_BYTES = 16;
const RECEIPT_BYTES = 6 + RECEIPT_RANDOM_BYTES;

const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const VALUE_OF = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUE_OF[ALPHABET.charCodeAt(i)] = i;

/** Drawing random bytes in bulk is many times cheaper than drawing sixteen at a time. */
const pool = Buffer.alloc(8192);
let poolUsed = pool.length;

function randomInto(target: Buffer, start: number): void {
  const wanted = target.length - start;
  if (poolUsed + wanted > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  pool.copy(target, start, poolUsed, poolUsed + wanted);
  pool.fill(0, poolUsed, poolUsed + wanted);
  poolUsed += wanted;
}

function timestamped(bytes: number): Buffer {
  const id = Buffer.allocUnsafe(bytes);
  id.writeUIntBE(Date.now(), 0, 6);
  randomInto(id, 6);
  return id;
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function newUuidBytes(): Buffer {
  const bytes = timestamped(16);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes;
}

export function newUuid(): string {
  return uuidText(newUuidBytes());
}

function encode(bytes: Buffer, chars: number): string {
  const text = Buffer.allocUnsafe(chars);
  // The bits are read from the right, so that any padding is at the left.
  let buffer = 0;
  let bits = 0;
  let at = bytes.length - 1;
  for (let i = chars - 1; i >= 0; i--) {
    while (bits < 5 && at >= 0) {
      buffer |= (bytes[at--] as number) << bits;
      bits += 8;
    }
    text[i] = CODES[buffer & 31] as number;
    buffer >>>= 5;
    bits -= 5;
  }
  return text.toString('latin1');
}

function decode(text: string, bytes: number): Buffer | undefined {
  const out = Buffer.alloc(bytes);
  let buffer = 0;
  let bits = 0;
  let at = bytes - 1;
  for (let i = text.length - 1; i >= 0; i--) {
    const value = VALUE_OF[text.charCodeAt(i)] ?? -1;
    if (value < 0) return undefined;
    buffer |= value << bits;
    bits += 5;
    if (bits >= 8) {
      if (at < 0) return undefined;
      out[at--] = buffer & 255;
      buffer >>>= 8;
      bits -= 8;
    }
  }
  return at === -1 && buffer === 0 ? out : undefined;
}

const HEX_VALUE = new Uint8Array(128);
for (let i = 0; i < 16; i++) HEX_VALUE[i.toString(16).charCodeAt(0)] = i;
const scratch = Buffer.alloc(UUID_CHARS);

/** Converts digit by digit, for speed: each message has several ids. */
export function formatId(prefix: IdPrefix, uuid: string): string {
  let buffer = 0;
  let bits = 0;
  let at = UUID_CHARS;
  for (let i = uuid.length - 1; i >= 0; i--) {
    const code = uuid.charCodeAt(i);
    if (code === DASH) continue;
    buffer |= (HEX_VALUE[code] as number) << bits;
    bits += 4;
    if (bits >= 5) {
      scratch[--at] = CODES[buffer & 31] as number;
      buffer >>>= 5;
      bits -= 5;
    }
  }
  scratch[0] = CODES[buffer] as number;
  return `${prefix}_${scratch.toString('latin1')}`;
}

export function writeUuid(uuid: string, bytes: Buffer, start: number): number {
  let at = start;
  for (let i = 0; i < uuid.length; i += 2) {
    if (uuid.charCodeAt(i) === DASH) i++;
    const high = HEX_VALUE[uuid.charCodeAt(i)] as number;
    bytes[at++] = (high << 4) | (HEX_VALUE[uuid.charCodeAt(i + 1)] as number);
  }
  return at;
}

export function firstUuidAt(ms: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.min(Math.max(0, ms), 2 ** 48 - 1), 0, 6);
  return uuidText(bytes);
}

export function timeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

export function parseId(prefix: IdPrefix, id: string): string | undefined {
  if (id.length !== prefix.length + 1 + UUID_CHARS || !id.startsWith(`${prefix}_`)) return undefined;
  const bytes = decode(id.slice(prefix.length + 1), 16);
  return bytes && uuidText(bytes);
}

export function newRequestId(): string {
  return `req_${encode(newUuidBytes(), UUID_CHARS)}`;
}

/** The position of the last byte of the sender's number, which determines the shard of the message. */
const SENDER_BYTE = 5;

/** A token has the time, to a quarter of a second, and then 128 random bits. The time keeps the index of a growing table warm. */
export function newReceiptToken(senderId: bigint): Buffer {
  const token = timestamped(RECEIPT_BYTES);
  token[SENDER_BYTE] = Number(senderId & 0xffn);
  return token;
}

export function senderByteOf(token: Buffer): number {
  return token[SENDER_BYTE] ?? 0;
}

const RECEIPT_CHARS = Math.ceil((RECEIPT_BYTES * 8) / 5);

export function formatReceiptToken(token: Buffer): string {
  return `rcpt_${encode(token, RECEIPT_CHARS)}`;
}

export function parseReceiptToken(text: string): Buffer | undefined {
  if (text.length !== 5 + RECEIPT_CHARS || !text.startsWith('rcpt_')) return undefined;
  return decode(text.slice(5), RECEIPT_BYTES);
}

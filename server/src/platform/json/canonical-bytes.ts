import { sha256 } from '../../contract/sha256.ts';

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;
/** In UTF-8, the characters from U+E000 and from U+10000 begin with these bytes. */
const BEHIND_SURROGATES = 0xee;
const SUPPLEMENTARY = 0xf0;
/** An integer of at most this many digits is a double, and RFC 8785 writes it as it is. */
const PLAIN_DIGITS_MAX = 15;
/** Up to this many members, insertion sort is faster than Array.sort. */
const FEW_MEMBERS = 16;
/** For so few bytes, a loop is faster than Buffer.copy. */
const COPIED_BY_LOOP_MAX = 64;
const SPARE_BYTES = 64;
const NOTHING = Buffer.alloc(0);

interface Member {
  key: number;
  start: number;
  end: number;
  read: string | undefined;
}

/**
 * The RFC 8785 form of a JSON text that scanJson has accepted. It is built from the bytes, most of which are copied, and not from
 * a parsed value: after a text with certain keys, JSON.parse of V8 13.6 reads a key of the next text wrongly, so one sender
 * could change the hash of another sender's message.
 */
export function canonicalBytes(text: Buffer): Buffer {
  const writer = new CanonicalWriter(text);
  writer.writeValue();
  return writer.result();
}

function copy(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  if (end - start > COPIED_BY_LOOP_MAX) return at + source.copy(target, at, start, end);
  let to = at;
  for (let from = start; from < end; from++) target[to++] = source[from] as number;
  return to;
}

class CanonicalWriter {
  readonly #text: Buffer;
  #at = 0;
  #out: Buffer;
  #length = 0;
  #unsorted: Buffer = NOTHING;

  constructor(text: Buffer) {
    this.#text = text;
    this.#out = Buffer.allocUnsafe(text.length + SPARE_BYTES);
  }

  result(): Buffer {
    return this.#out.subarray(0, this.#length);
  }

  writeValue(): void {
    const byte = this.#nextByte();
    if (byte === QUOTE) this.#writeString();
    else if (byte === OPEN_BRACE) this.#writeObject();
    else if (byte === OPEN_BRACKET) this.#writeArray();
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) this.#writeNumber();
    else this.#copyTo(this.#at + (byte === LOWER_F ? 5 : 4));
  }

  #nextByte(): number {
    const text = this.#text;
    let at = this.#at;
    while ((text[at] as number) <= SPACE) at++;
    this.#at = at;
    return text[at] as number;
  }

  /** There is always room for the rest of the text: a byte of the form takes the place of one that was read. Only new texts may be longer. */
  #writeByte(byte: number): void {
    this.#out[this.#length++] = byte;
  }

  #copyTo(end: number): void {
    this.#length = copy(this.#text, this.#at, end, this.#out, this.#length);
    this.#at = end;
  }

  #writeText(written: string): void {
    this.#makeRoom(written.length * 3 + this.#text.length - this.#at);
    this.#length += this.#out.write(written, this.#length);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(this.#out.length * 2 + bytes);
    this.#out.copy(larger, 0, 0, this.#length);
    this.#out = larger;
  }

  #writeString(): void {
    const [text, out] = [this.#text, this.#out];
    let at = this.#at;
    let to = this.#length;
    let byte = QUOTE;
    do {
      out[to++] = byte;
      byte = text[++at] as number;
      if (byte === BACKSLASH) {
        this.#writeEscaped();
        return;
      }
    } while (byte !== QUOTE);
    out[to++] = QUOTE;
    this.#at = at + 1;
    this.#length = to;
  }

  #writeEscaped(): void {
    const start = this.#at;
    let end = start + 1;
    while (this.#text[end] !== QUOTE) end += this.#text[end] === BACKSLASH ? 2 : 1;
    this.#at = end + 1;
    this.#writeText(JSON.stringify(JSON.parse(this.#text.toString('utf8', start, end + 1))));
  }

  #writeNumber(): void {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    let isPlain = true;
    for (;;) {
      const byte = text[end] as number;
      if (byte === MINUS || byte === PLUS || byte === POINT || byte === LOWER_E || byte === UPPER_E) isPlain = false;
      else if (!(byte >= ZERO && byte <= NINE)) break;
      end++;
    }
    if (isPlain && end - start <= PLAIN_DIGITS_MAX) this.#copyTo(end);
    else {
      this.#at = end;
      this.#writeText(String(Number(text.toString('latin1', start, end))));
    }
  }

  #writeArray(): void {
    this.#writeByte(OPEN_BRACKET);
    this.#at++;
    let byte = this.#nextByte();
    while (byte !== CLOSE_BRACKET) {
      this.writeValue();
      byte = this.#nextByte();
      if (byte === COMMA) {
        this.#writeByte(COMMA);
        this.#at++;
      }
    }
    this.#writeByte(CLOSE_BRACKET);
    this.#at++;
  }

  #writeObject(): void {
    this.#writeByte(OPEN_BRACE);
    this.#at++;
    const members: Member[] = [];
    let isSorted = true;
    let byte = this.#nextByte();
    while (byte !== CLOSE_BRACE) {
      const member: Member = { key: this.#at, start: this.#length, end: 0, read: undefined };
      this.#writeString();
      this.#nextByte();
      this.#writeByte(COLON);
      this.#at++;
      this.writeValue();
      member.end = this.#length;
      if (isSorted && members.length > 0) isSorted = this.#compare(members[members.length - 1] as Member, member) < 0;
      members.push(member);
      byte = this.#nextByte();
      if (byte === COMMA) {
        this.#writeByte(COMMA);
        this.#at++;
        this.#nextByte();
      }
    }
    if (!isSorted) this.#sort(members);
    this.#writeByte(CLOSE_BRACE);
    this.#at++;
  }

  /** Compares by UTF-16 code units. UTF-8 has the same order, except that surrogate pairs come before U+E000. */
  #compare(a: Member, b: Member): number {
    const text = this.#text;
    for (let i = 1; ; i++) {
      const x = text[a.key + i] as number;
      const y = text[b.key + i] as number;
      if (x === BACKSLASH || y === BACKSLASH) return this.#compareRead(a, b);
      if (x === y) {
        if (x === QUOTE) return 0;
      } else if (x === QUOTE) return -1;
      else if (y === QUOTE) return 1;
      else return x >= BEHIND_SURROGATES && y >= BEHIND_SURROGATES && x >= SUPPLEMENTARY !== y >= SUPPLEMENTARY ? y - x : x - y;
    }
  }

  #compareRead(a: Member, b: Member): number {
    const [x, y] = [this.#readKey(a), this.#readKey(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  }

  #readKey(member: Member): string {
    if (member.read !== undefined) return member.read;
    const text = this.#text;
    let end = member.key + 1;
    while (text[end] !== QUOTE) end += text[end] === BACKSLASH ? 2 : 1;
    member.read = JSON.parse(text.toString('utf8', member.key, end + 1)) as string;
    return member.read;
  }

  /** Sorts the members. The last of several with the same key stays, as in ECMAScript. */
  #sort(members: Member[]): void {
    const start = (members[0] as Member).start;
    const bytes = this.#length - start;
    if (members.length > FEW_MEMBERS) members.sort((a, b) => this.#compare(a, b));
    else this.#sortFew(members);
    if (this.#unsorted.length < bytes) this.#unsorted = Buffer.allocUnsafe(Math.max(bytes, this.#out.length));
    const out = this.#out;
    const unsorted = this.#unsorted;
    copy(out, start, this.#length, unsorted, 0);
    let to = start;
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as Member;
      const next = members[i + 1];
      if (next && this.#compare(member, next) === 0) continue;
      if (to > start) out[to++] = COMMA;
      to = copy(unsorted, member.start - start, member.end - start, out, to);
    }
    this.#length = to;
  }

  #sortFew(members: Member[]): void {
    for (let i = 1; i < members.length; i++) {
      const member = members[i] as Member;
      let at = i;
      for (; at > 0 && this.#compare(members[at - 1] as Member, member) > 0; at--) members[at] = members[at - 1] as Member;
      members[at] = member;
    }
  }
}

export interface JsonHashes {
  canonical: Buffer;
  bytes: Buffer;
}

export function canonicalForm(json: Uint8Array): Buffer {
  return canonicalBytes(Buffer.from(json.buffer, json.byteOffset, json.byteLength));
}

export function hashesOf(json: Uint8Array): JsonHashes {
  return { canonical: sha256(canonicalForm(json)), bytes: sha256(json) };
}

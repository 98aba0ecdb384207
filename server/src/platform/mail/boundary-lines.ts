const CR = 0x0d;
const DASH = 0x2d;
/** Odd and secret, so that no sender can construct lines whose hash is that of a boundary. */
const MULTIPLIER = (Math.floor(Math.random() * 2 ** 30) << 1) | 1;
const CLOSING = '--';

export interface BoundaryLine {
  boundary: string;
  isLast: boolean;
}

/**
 * Recognizes lines that are boundaries. A mail may have a million lines that begin like a boundary, so a line becomes a
 * string only if its hash is that of one.
 */
export class BoundaryLines {
  readonly #boundaries: ReadonlySet<string>;
  readonly #hashes: ReadonlySet<number>;
  #end = 0;

  constructor(boundaries: readonly string[]) {
    this.#boundaries = new Set(boundaries);
    this.#hashes = new Set(boundaries.flatMap((boundary) => [hashOf(boundary), hashOf(boundary + CLOSING)]));
  }

  get end(): number {
    return this.#end;
  }

  read(bytes: Buffer, start: number): BoundaryLine | undefined {
    let hash = 0;
    let hashWithoutSpace = 0;
    let at = start;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === CR) break;
      if (at < start + CLOSING.length) continue;
      hash = (Math.imul(hash, MULTIPLIER) + byte) | 0;
      if (!isSpace(byte)) hashWithoutSpace = hash;
    }
    this.#end = at;
    if (!this.#hashes.has(hashWithoutSpace) || bytes[start] !== DASH || bytes[start + 1] !== DASH) return undefined;
    const text = bytes.toString('latin1', start + CLOSING.length, at).trimEnd();
    if (this.#boundaries.has(text)) return { boundary: text, isLast: false };
    const boundary = text.slice(0, -CLOSING.length);
    return text.endsWith(CLOSING) && this.#boundaries.has(boundary) ? { boundary, isLast: true } : undefined;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xa0;
}

function hashOf(text: string): number {
  let hash = 0;
  for (const byte of Buffer.from(text, 'latin1')) hash = (Math.imul(hash, MULTIPLIER) + byte) | 0;
  return hash;
}

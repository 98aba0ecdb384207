/** A SHA-256 of bytes that come piece by piece. */
export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** The hash in the form of the API: `sha256:` and 64 hexadecimal digits. */
  digest(): string;
}

interface NodeHash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

interface NodeLike {
  getBuiltinModule?(name: 'node:crypto'): { createHash(algorithm: 'sha256'): NodeHash } | undefined;
}

/** Web Crypto can't hash in pieces. Node, Deno and Bun use their native hash, which is many times as fast as a script. */
export function newSha256(): Sha256 {
  const { process } = globalThis as { process?: NodeLike };
  const native = process?.getBuiltinModule?.('node:crypto')?.createHash('sha256');
  if (!native) return new ScriptedSha256();
  return { update: (bytes) => void native.update(bytes), digest: () => `sha256:${native.digest('hex')}` };
}

export function sha256Of(text: string): string {
  const hash = newSha256();
  hash.update(new TextEncoder().encode(text));
  return hash.digest();
}

const BLOCK_BYTES = 64;
const ROUNDS = 64;

/** Computes the constants of FIPS 180-4: the first 32 bits of the fractional part of a root of the first primes. */
function fractions(count: number, root: number): Int32Array {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) isPrime = false;
    if (isPrime) found.push((n ** (1 / root) % 1) * 2 ** 32);
  }
  return Int32Array.from(found, (fraction) => fraction | 0);
}

const CONSTANTS = fractions(ROUNDS, 3);

/** FIPS 180-4, for browsers and workers. */
export class ScriptedSha256 implements Sha256 {
  readonly #state = fractions(8, 2);
  readonly #words = new Int32Array(ROUNDS);
  readonly #block = new Uint8Array(BLOCK_BYTES);
  #waiting = 0;
  #length = 0;

  update(bytes: Uint8Array): void {
    this.#length += bytes.length;
    let at = 0;
    if (this.#waiting > 0) {
      at = Math.min(bytes.length, BLOCK_BYTES - this.#waiting);
      this.#block.set(bytes.subarray(0, at), this.#waiting);
      this.#waiting += at;
      if (this.#waiting < BLOCK_BYTES) return;
      this.#compress(this.#block, 0);
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) this.#compress(bytes, at);
    this.#waiting = bytes.length - at;
    this.#block.set(bytes.subarray(at));
  }

  digest(): string {
    const lengthBits = this.#length * 8;
    const padding = new Uint8Array(this.#waiting < 56 ? BLOCK_BYTES - this.#waiting : 2 * BLOCK_BYTES - this.#waiting);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(lengthBits / 2 ** 32));
    view.setUint32(padding.length - 4, lengthBits >>> 0);
    this.update(padding);
    return `sha256:${[...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;
  }

  #compress(bytes: Uint8Array, at: number): void {
    const words = this.#words;
    for (let i = 0; i < 16; i++) words[i] = wordAt(bytes, at + 4 * i);
    for (let i = 16; i < ROUNDS; i++) {
      const x = at32(words, i - 15);
      const y = at32(words, i - 2);
      const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
      const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
      words[i] = at32(words, i - 16) + s0 + at32(words, i - 7) + s1;
    }
    const state = this.#state;
    let [a, b, c, d] = [at32(state, 0), at32(state, 1), at32(state, 2), at32(state, 3)];
    let [e, f, g, h] = [at32(state, 4), at32(state, 5), at32(state, 6), at32(state, 7)];
    for (let i = 0; i < ROUNDS; i++) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + at32(CONSTANTS, i) + at32(words, i)) | 0;
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    const added = [a, b, c, d, e, f, g, h];
    for (let i = 0; i < 8; i++) state[i] = at32(state, i) + (added[i] ?? 0);
  }
}

/** The algorithm never reads typed arrays out of bounds. */
function at32(words: Int32Array, index: number): number {
  return words[index] as number;
}

function wordAt(bytes: Uint8Array, at: number): number {
  const byte = (index: number) => bytes[at + index] as number;
  return (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

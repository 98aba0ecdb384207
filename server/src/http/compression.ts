import { pipeline, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib, { constants } from 'node:zlib';
import { keysOf } from '../contract/records.ts';

export type Encoding = 'zstd' | 'br' | 'gzip';

interface Method {
  compress(bytes: Buffer): Promise<Buffer>;
  stream(): Transform;
  /** The measured processor time for pages of an inbox. */
  msPerMB: number;
}

const chunkSize = 64 * 1024;
const zstd = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
// The window is 256 KB, because the library's default would take 8 MB for each response.
const br = { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } };
const gzip = { chunkSize, level: 1 };

/** In order of preference. Higher levels take twice the time, and make JSON only a few percent smaller. */
const METHODS: Record<Encoding, Method> = {
  zstd: {
    compress: (bytes) => {
      // Not in the types yet. With the pledged size, zstd allocates tables for this body instead of the largest.
      const sized = { ...zstd, pledgedSrcSize: bytes.length };
      return promisify(zlib.zstdCompress)(bytes, sized);
    },
    stream: () => zlib.createZstdCompress(zstd),
    msPerMB: 8,
  },
  br: {
    compress: (bytes) =>
      promisify(zlib.brotliCompress)(bytes, { ...br, params: { ...br.params, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    stream: () => zlib.createBrotliCompress(br),
    msPerMB: 22,
  },
  gzip: { compress: (bytes) => promisify(zlib.gzip)(bytes, gzip), stream: () => zlib.createGzip(gzip), msPerMB: 16 },
};
export const PREFERRED = keysOf(METHODS);

/** The methods for bodies that are compressed once and sent often. They take several times as long, for some percent less. */
const THOROUGH: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  zstd: (bytes) => promisify(zlib.zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 12 } }),
  br: (bytes) => promisify(zlib.brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(zlib.gzip)(bytes, { level: 9 }),
};

/** Runs in a thread of libuv. */
export function compressThoroughly(encoding: Encoding, bytes: Buffer): Promise<Buffer> {
  return THOROUGH[encoding](bytes);
}

/** Smaller bodies fit into a packet or two anyway. */
export const COMPRESSED_FROM_BYTES = 2_048;
const WORTH_IT = /^(application\/(json|javascript)|text\/(?!event-stream)|image\/svg\+xml)/;
/** Half of libuv's threads, which file and DNS operations share. */
const BODIES_AT_ONCE = 2;
/** Each stream takes up to a megabyte for as long as its client reads. */
const STREAMS_AT_ONCE = 16;
const MS_PER_RESPONSE = 0.3;
const BURST_MS = 500;

export function isCompressible(contentType: unknown): boolean {
  return typeof contentType === 'string' && WORTH_IT.test(contentType);
}

/** Compresses responses within a share of one processor. Once the share is used up, responses are sent uncompressed. */
export class Compressor {
  readonly #share: number;
  #creditMs = BURST_MS;
  #creditedAt = performance.now();
  #bodies = 0;
  #streams = 0;

  constructor(percent: number) {
    this.#share = percent / 100;
  }

  async compress(encoding: Encoding, bytes: Buffer): Promise<Buffer | undefined> {
    if (this.#bodies >= BODIES_AT_ONCE || !this.#hasCredit()) return undefined;
    this.#creditMs -= MS_PER_RESPONSE;
    this.#charge(encoding, bytes.length);
    this.#bodies++;
    try {
      return await METHODS[encoding].compress(bytes);
    } finally {
      this.#bodies--;
    }
  }

  compressStream(encoding: Encoding, source: Readable): Readable | undefined {
    if (this.#streams >= STREAMS_AT_ONCE || !this.#hasCredit()) return undefined;
    this.#creditMs -= MS_PER_RESPONSE;
    this.#streams++;
    source.on('data', (chunk: Buffer | string) => this.#charge(encoding, chunk.length));
    return pipeline(source, METHODS[encoding].stream(), () => {
      this.#streams--;
    });
  }

  #hasCredit(): boolean {
    if (this.#share === 0) return false;
    const now = performance.now();
    this.#creditMs = Math.min(BURST_MS, this.#creditMs + (now - this.#creditedAt) * this.#share);
    this.#creditedAt = now;
    return this.#creditMs > 0;
  }

  #charge(encoding: Encoding, bytes: number): void {
    this.#creditMs -= (bytes / 1_000_000) * METHODS[encoding].msPerMB;
  }
}

/** No browser sends more. */
const ACCEPT_ENCODING_MAX_CHARS = 256;
const MEMBER = /^\s*([\w*-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

export function encodingFor<Offered extends Encoding>(
  acceptEncoding: string | undefined,
  offered: readonly Offered[],
): Offered | undefined {
  if (acceptEncoding === undefined) return undefined;
  const accepted = new Map<string, boolean>();
  for (const member of acceptEncoding.slice(0, ACCEPT_ENCODING_MAX_CHARS).split(',')) {
    const [, name, weight = '1'] = MEMBER.exec(member) ?? [];
    if (name !== undefined) accepted.set(name.toLowerCase(), Number(weight) > 0);
  }
  return offered.find((encoding) => accepted.get(encoding) ?? accepted.get('*') ?? false);
}

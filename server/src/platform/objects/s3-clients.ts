import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { BUCKET_BYTES_PER_S_MIN, BUCKET_COPY_BYTES_PER_S_MIN, BUCKET_PATIENCE_MS } from '../../contract/limits.ts';
import { StoreUnavailable } from './object-store.ts';
import type { S3Error } from './s3-keys.ts';

export interface S3Settings {
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

const CONNECT_PATIENCE_MS = 3_000;

/** Copies may take minutes, so they have their own connections. */
export class BucketClients {
  readonly quick: S3Client;
  readonly slow: S3Client;

  /** `onFailure` is called when the bucket has not responded, or responded like one that can't be used. */
  constructor(settings: S3Settings, onFailure: () => void) {
    this.quick = clientFor(settings);
    this.slow = clientFor(settings);
    for (const client of [this.quick, this.slow])
      client.middlewareStack.add(
        (next) => (args) =>
          next(args).catch((error: S3Error) => {
            if (isFailure(error)) onFailure();
            throw error;
          }),
        { step: 'initialize', name: 'noteFailures' },
      );
  }
}

/** These statuses are about an object, not about the bucket. */
const OF_OBJECT = [404, 409, 412, 416];

function isFailure({ name, $metadata }: S3Error): boolean {
  return name === 'NoSuchBucket' || !OF_OBJECT.includes($metadata?.httpStatusCode ?? 0);
}

function clientFor({ endpoint, region, accessKeyId, secretAccessKey, forcePathStyle }: S3Settings): S3Client {
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    // Not every S3-compatible server supports the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_PATIENCE_MS },
  });
}

export interface Limited {
  abortSignal: AbortSignal;
}

/** Limits the time of a request, with the retries of the SDK. Requests with bytes get longer. */
export function within<T>(ask: (limited: Limited) => Promise<T>, bytes = 0): Promise<T> {
  return withinMs(BUCKET_PATIENCE_MS + (bytes / BUCKET_BYTES_PER_S_MIN) * 1000, ask);
}

/** The time for work that the bucket does by itself on this many bytes. */
export function timeOfMs(bytes: number): number {
  return BUCKET_PATIENCE_MS + (bytes / BUCKET_COPY_BYTES_PER_S_MIN) * 1000;
}

export function withinTimeOf<T>(bytes: number, ask: (limited: Limited) => Promise<T>): Promise<T> {
  return withinMs(timeOfMs(bytes), ask);
}

async function withinMs<T>(patienceMs: number, ask: (limited: Limited) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new StoreUnavailable('the bucket did not respond in time'));
      abort.abort();
    }, patienceMs);
  });
  try {
    return await Promise.race([ask({ abortSignal: abort.signal }), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Fails with StoreUnavailable when no byte comes for a while. Only for streams that are read as fast as they come. */
export function withIdleLimit(body: Readable): Readable {
  const chunks: AsyncIterable<Buffer> = body;
  const limited = async function* () {
    const idle = setTimeout(() => body.destroy(new StoreUnavailable('the bucket stopped sending')), BUCKET_PATIENCE_MS);
    try {
      for await (const chunk of chunks) {
        idle.refresh();
        yield chunk;
      }
    } finally {
      clearTimeout(idle);
    }
  };
  return Readable.from(limited(), { objectMode: false });
}

import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { type Head, NAMED_OBJECT_MAX_BYTES, type NamedObjects } from './named-objects.ts';
import { StoreUnavailable } from './object-store.ts';
import { type BucketClients, type Limited, within } from './s3-clients.ts';
import { ifMissing, namedKey, type S3Error } from './s3-keys.ts';

/** The bucket has another version (412), or another request is replacing it (409). */
const OVERTAKEN = [409, 412];

/** Named objects in a bucket. The version of a head is its entity tag, for conditional writes. */
export class S3Named implements NamedObjects {
  readonly #clients: BucketClients;
  readonly #bucket: string;

  constructor(clients: BucketClients, bucket: string) {
    this.#clients = clients;
    this.#bucket = bucket;
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: namedKey(name), Body: bytes });
    await within((limited) => this.#clients.quick.send(command, limited), bytes.length);
  }

  async get(name: string): Promise<Buffer | undefined> {
    return (await this.readHead(name))?.bytes;
  }

  readHead(name: string): Promise<Head | undefined> {
    return within((limited) => this.#read(name, limited)).catch(ifMissing);
  }

  async replaceHead(name: string, bytes: Buffer, version: string | undefined): Promise<boolean> {
    const condition = version === undefined ? { IfNoneMatch: '*' } : { IfMatch: version };
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: namedKey(name), Body: bytes, ...condition });
    const isReplaced = await within((limited) => this.#clients.quick.send(command, limited), bytes.length).then(() => true, ifOvertaken);
    // If the response was lost, the SDK repeats the request: then the bucket has these bytes already.
    return isReplaced || ((await this.readHead(name))?.bytes.equals(bytes) ?? false);
  }

  async #read(name: string, limited: Limited): Promise<Head> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: namedKey(name) });
    const { Body, ContentLength = 0, ETag } = await this.#clients.quick.send(command, limited);
    if (!Body || ETag === undefined || ContentLength > NAMED_OBJECT_MAX_BYTES)
      throw new StoreUnavailable('the bucket responded without a body or its tag, or with too many bytes');
    return { bytes: Buffer.from(await Body.transformToByteArray()), version: ETag };
  }
}

function ifOvertaken(error: S3Error): false {
  if (!OVERTAKEN.includes(error.$metadata?.httpStatusCode ?? 0)) throw error;
  return false;
}

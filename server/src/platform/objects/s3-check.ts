import { randomBytes } from 'node:crypto';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { newUuid } from '../../contract/ids.ts';
import { messageOf } from '../../contract/thrown.ts';
import { type BucketClients, type S3Settings, within } from './s3-clients.ts';
import type { S3Error } from './s3-keys.ts';

/** Thrown if the bucket responds, but can't be used with these settings. The message says what is wrong, and what to do. */
export class BucketUnusable extends Error {}

const FOLDER = 'probe/';
/** Older objects were left by a process that died in a check. */
const FORGOTTEN_AFTER_MS = 3_600_000;
/** A condition does not hold (412), or another request conflicts (409). */
const CONDITION_FAILED = [409, 412];
/** The bucket is busy, not unusable. */
const BUSY = [408, 425, 429];

/** Tries, with an object of its own, everything that the service does with a bucket. */
export async function checkBucket(clients: BucketClients, settings: S3Settings): Promise<void> {
  const target = { Bucket: settings.bucket, Key: `${FOLDER}${newUuid()}` };
  const bytes = randomBytes(16);
  const put = new PutObjectCommand({ ...target, Body: bytes, IfNoneMatch: '*' });
  const step = async <T>(what: string, permission: string, ask: () => Promise<T>): Promise<T> =>
    ask().catch((error) => {
      throw explained(error, settings, what, permission);
    });
  await step('writing', 's3:PutObject', () => within((limited) => clients.quick.send(put, limited)));
  await step('reading', 's3:GetObject', async () => {
    const { Body } = await within((limited) => clients.quick.send(new GetObjectCommand(target), limited));
    const read = Buffer.from((await Body?.transformToByteArray()) ?? []);
    if (!read.equals(bytes)) throw new BucketUnusable(`${placeOf(settings)} does not return what was written to it.`);
  });
  await step('writing on a condition', 's3:PutObject', async () => {
    const isRefused = await within((limited) => clients.quick.send(put, limited)).then(() => false, ifConditionFailed);
    if (!isRefused)
      throw new BucketUnusable(
        `${placeOf(settings)} ignores conditions on writes (If-None-Match), with which the log protects its checkpoints: use another server, or a newer version of it.`,
      );
  });
  await step('listing', 's3:ListBucket', () => removeForgotten(clients, target));
  await step('deleting', 's3:DeleteObject', () => within((limited) => clients.quick.send(new DeleteObjectCommand(target), limited)));
}

async function removeForgotten(clients: BucketClients, { Bucket, Key: own }: { Bucket: string; Key: string }): Promise<void> {
  const command = new ListObjectsV2Command({ Bucket, Prefix: FOLDER });
  const { Contents = [] } = await within((limited) => clients.quick.send(command, limited));
  if (!Contents.some(({ Key }) => Key === own)) throw new Error('the object that was written is not in the list');
  for (const { Key, LastModified } of Contents)
    if (LastModified !== undefined && Date.now() - LastModified.getTime() > FORGOTTEN_AFTER_MS)
      await within((limited) => clients.quick.send(new DeleteObjectCommand({ Bucket, Key }), limited));
}

function ifConditionFailed(error: S3Error): true {
  if (!CONDITION_FAILED.includes(error.$metadata?.httpStatusCode ?? 0)) throw error;
  return true;
}

function placeOf({ bucket, endpoint }: S3Settings): string {
  return `The bucket ${JSON.stringify(bucket)}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
}

const ADVICE: readonly [RegExp, (permission: string) => string][] = [
  [/^NoSuchBucket$/, () => 'Create the bucket, or set S3_BUCKET to one that exists.'],
  [/^(InvalidAccessKeyId|SignatureDoesNotMatch)$/, () => 'Check S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.'],
  [/^AccessDenied$/, (permission) => `Give the key of S3_ACCESS_KEY_ID the permission ${permission} on this bucket.`],
  [/^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/, () => 'Check S3_REGION and S3_ENDPOINT.'],
];

/** A bucket that refuses is unusable. One that fails, or can't be reached, may be usable later. */
function explained(error: S3Error, settings: S3Settings, what: string, permission: string): unknown {
  const { name = '', $metadata: { httpStatusCode: status = 0 } = {} } = error;
  if (error instanceof BucketUnusable || status < 300 || status >= 500 || BUSY.includes(status)) return error;
  const advice = ADVICE.find(([names]) => names.test(name))?.[1] ?? (() => 'Check the settings that begin with S3_.');
  const reason = [status, name, messageOf(error)].join(' ').replace(/\.$/, '');
  return new BucketUnusable(`${placeOf(settings)} can't be used: ${what} an object failed (${reason}). ${advice(permission)}`);
}

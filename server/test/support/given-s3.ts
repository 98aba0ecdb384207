import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3Server } from './s3-server.ts';

/** Creates a bucket at the server that the environment names. It is removed at the end, with its contents. */
export async function bucketAtGivenServer(): Promise<S3Server> {
  const {
    S3_ENDPOINT,
    S3_REGION = 'us-east-1',
    S3_ACCESS_KEY_ID = '',
    S3_SECRET_ACCESS_KEY = '',
    S3_FORCE_PATH_STYLE = 'false',
  } = process.env;
  const Bucket = `waybill-test-${randomBytes(8).toString('hex')}`;
  const client = new S3Client({
    ...(S3_ENDPOINT && { endpoint: S3_ENDPOINT }),
    region: S3_REGION,
    forcePathStyle: S3_FORCE_PATH_STYLE === 'true',
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
  });
  await client.send(new CreateBucketCommand({ Bucket }));

  async function objects(): Promise<string[]> {
    const keys: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
      keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
    return keys;
  }

  const unfinished = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? [];

  return {
    env: {
      ...(S3_ENDPOINT && { S3_ENDPOINT }),
      S3_BUCKET: Bucket,
      S3_REGION,
      S3_ACCESS_KEY_ID,
      S3_SECRET_ACCESS_KEY,
      S3_FORCE_PATH_STYLE,
    },
    kept: async () => [...(await objects()), ...(await unfinished()).map(({ Key, UploadId }) => `unfinished/${Key}/${UploadId}`)],
    fileOf: () => {
      throw new Error('the server runs elsewhere');
    },
    stop: async () => {
      for (const { Key, UploadId } of await unfinished()) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      for (const Key of await objects()) await client.send(new DeleteObjectCommand({ Bucket, Key }));
      await client.send(new DeleteBucketCommand({ Bucket }));
      client.destroy();
    },
  };
}

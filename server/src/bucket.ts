import type { Config } from './config.ts';
import type { S3Store } from './platform/objects/s3-store.ts';

/** The bucket that the settings name, if any. The SDK is loaded only then, because of the memory it takes. */
export async function bucketOf({
  s3Bucket,
  s3Endpoint,
  s3Region,
  s3AccessKeyId,
  s3SecretAccessKey,
  s3ForcePathStyle,
}: Config): Promise<S3Store | undefined> {
  if (s3Bucket === undefined) return undefined;
  const { S3Store } = await import('./platform/objects/s3-store.ts');
  return new S3Store({
    bucket: s3Bucket,
    endpoint: s3Endpoint,
    region: s3Region,
    accessKeyId: s3AccessKeyId ?? '',
    secretAccessKey: s3SecretAccessKey ?? '',
    forcePathStyle: s3ForcePathStyle,
  });
}

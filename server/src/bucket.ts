import type { Config } from './config.ts';
import type { S3Store } from './platform/objects/s3-store.ts';
import type { Clock } from './platform/postgres/database-clock.ts';

/** The bucket of the settings, if any. The SDK is loaded only then, because it takes much memory. */
export async function bucketOf(config: Config, now?: Clock): Promise<S3Store | undefined> {
  const { s3Bucket, s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey, s3ForcePathStyle } = config;
  if (s3Bucket === undefined) return undefined;
  const { S3Store } = await import('./platform/objects/s3-store.ts');
  const settings = {
    bucket: s3Bucket,
    endpoint: s3Endpoint,
    region: s3Region,
    accessKeyId: s3AccessKeyId ?? '',
    secretAccessKey: s3SecretAccessKey ?? '',
    forcePathStyle: s3ForcePathStyle,
  };
  return new S3Store(settings, now);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { filesIn } from './files-in.ts';

export interface S3Server {
  env: Record<string, string>;
  /** The keys of everything in the bucket, and of parts of uploads that were neither completed nor aborted. */
  kept(): Promise<string[]>;
  /** The file with an object's bytes, to read its times. Only where the server runs on this machine. */
  fileOf(key: string): string;
  stop(): Promise<void>;
}

/** The tests use a bucket at a server that the environment names (`npm run test:s3`). */
export const isGivenS3 = process.env['TEST_S3'] === 'true';

const BUCKET = 'waybill';
const PROGRAM = path.join(import.meta.dirname, 's3-server-process.ts');

export async function startS3Server(): Promise<S3Server> {
  if (isGivenS3) return (await import('./given-s3.ts')).bucketAtGivenServer();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-s3-'));
  // The continuation tokens of s3rver are encrypted with DES.
  const args = ['--openssl-legacy-provider', PROGRAM, folder, BUCKET];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const ready = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [port] = await Promise.race([ready, ended.then(() => Promise.reject(new Error('the S3 server did not start')))]);
  return {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: BUCKET,
      S3_REGION: 'us-east-1',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      S3_FORCE_PATH_STYLE: 'true',
    },
    kept: async () =>
      (await filesIn(path.join(folder, BUCKET)))
        // Each object has its hash and its metadata beside it.
        .filter((file) => file.endsWith('_object') || file.startsWith('._S3rver_uploads'))
        .map((file) => file.replace(/\._S3rver_object$/, '')),
    fileOf: (key) => path.join(folder, BUCKET, `${key}._S3rver_object`),
    stop: async () => {
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

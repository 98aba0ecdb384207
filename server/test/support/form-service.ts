import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { filesIn, isOfLog } from './files-in.ts';
import { startS3Server } from './s3-server.ts';
import { startTestService, type TestService } from './service.ts';
import { tracesOfSends } from './traces.ts';

export const stores = ['folder', 'bucket'] as const;

/** A test service whose object store can be inspected. */
export interface FormService extends TestService {
  dataFolder: string;
  /** Lists everything in the store, finished or not, by path. */
  stored(): Promise<string[]>;
  /** The files of the data folder that this process, and so the service, has open, without those of the log. */
  held(): string[];
  /** Everything that a send can leave behind, as one comparable value. */
  traces(): Promise<unknown>;
}

export async function startFormService(env: Record<string, string> = {}, store: (typeof stores)[number] = 'folder'): Promise<FormService> {
  const dataFolder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'waybill-forms-')));
  const s3 = store === 'bucket' ? await startS3Server() : undefined;
  const service = await startTestService({ DATA_DIR: dataFolder, ...s3?.env, ...env });
  const stored = async () => [...(await filesIn(dataFolder)), ...((await s3?.kept()) ?? [])];
  const held = () => openFiles().filter((file) => file.startsWith(dataFolder) && !isOfLog(file));
  return {
    ...service,
    dataFolder,
    stored,
    held,
    traces: async () => ({ ...(await tracesOfSends(service)), ...(await tracesOfFiles(service)), stored: await stored(), held: held() }),
    stop: async () => {
      await service.stop();
      await s3?.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

async function tracesOfFiles({ sql }: TestService): Promise<Record<string, string> | undefined> {
  const [row] = await sql<Record<string, string>>(
    `SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM objects) AS objects, (SELECT count(*) FROM uploads) AS uploads,
            (SELECT coalesce(sum(upload_bytes), 0) FROM daily_usage) AS bytes`,
  );
  return row;
}

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}

export function sha256Of(bytes: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

import { mkdtempSync, rmSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { bucketOf } from '../../src/bucket.ts';
import { readConfig } from '../../src/config.ts';
import { parseId } from '../../src/contract/ids.ts';
import { FolderStore } from '../../src/platform/objects/folder-store.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { UrlSigner } from '../../src/platform/objects/url-signer.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { filesIn, isOfLog } from './files-in.ts';
import { isGivenS3, startS3Server } from './s3-server.ts';
import { startTestService, type TestService } from './service.ts';

export type Place = 'folder' | 'bucket';
export const places: readonly Place[] = isGivenS3 ? ['bucket'] : ['folder', 'bucket'];

export interface FileService extends TestService {
  /** The store of the service, as another process would open it. */
  objects: ObjectStore;
  /** The id of the object that the upload was sealed into. */
  objectOf(uploadId: string): Promise<string>;
  /** Lists everything in the store: `objects/<uuid>`, `uploads/<uuid>`, and files under way. */
  kept(): Promise<string[]>;
  /** Sets the last change of one of these back. */
  age(kept: string, hours: number): Promise<void>;
}

type Placed = Omit<FileService, 'objectOf'>;

export async function startFileService(place: Place, env: Record<string, string> = {}): Promise<FileService> {
  const service = place === 'folder' ? await startOnFolder(env) : await startOnBucket(env);
  return {
    ...service,
    objectOf: async (uploadId) => {
      const id = parseId('upl', uploadId) ?? uploadId;
      const [row] = await service.sql<{ object: string }>('SELECT COALESCE(object_id, id) AS object FROM uploads WHERE id = $1', [id]);
      return row?.object ?? id;
    },
  };
}

async function startOnFolder(env: Record<string, string>): Promise<Placed> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'waybill-files-'));
  const folder = path.join(dataDir, 'files');
  const service = await startTestService({ DATA_DIR: dataDir, ...env });
  const database = new Database({ connectionString: service.databaseUrl }, pino({ level: 'fatal' }));
  const [secret] = await service.sql<{ value: Buffer }>("SELECT value FROM service_secrets WHERE name = 'objects'");
  return {
    ...service,
    objects: new FolderStore(folder, new UrlSigner(secret?.value as Buffer), service.url, (name, work) => database.exclusively(name, work)),
    // The name of one of the 256 folders says nothing.
    kept: async () => (await filesIn(dataDir)).map((file) => file.replace(/^files\//, '').replace(/\/[0-9a-f]{2}\//, '/')).toSorted(),
    age: (kept, hours) => setBack(fileIn(folder, kept), hours),
    stop: async () => {
      await database.close();
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function startOnBucket(env: Record<string, string>): Promise<Placed> {
  const server = await startS3Server();
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'waybill-files-'));
  const settings = { DATA_DIR: dataDir, ...server.env, ...env };
  const objects = await bucketOf(readConfig(settings));
  if (!objects) throw new Error('no bucket is configured');
  const service = await startTestService(settings);
  return {
    ...service,
    objects,
    kept: async () => [...(await server.kept()).filter((name) => !isOfLog(name)), ...(await filesIn(dataDir))].toSorted(),
    age: (kept, hours) => setBack(server.fileOf(kept), hours),
    stop: async () => {
      await service.stop();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function fileIn(folder: string, kept: string): string {
  const [part = '', name = ''] = kept.split('/');
  return part === 'aside' ? path.join(folder, kept) : path.join(folder, part, name.slice(-2), name);
}

function setBack(file: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  return utimes(file, then, then);
}

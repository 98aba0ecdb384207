import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { Files } from './files.ts';
import * as store from './store.ts';

const LOG_PROGRESS_EVERY_BYTES = 1024 ** 3;
/** Longer than any send that found the upload valid takes. */
const EXPIRY_GRACE_S = 3_600;
/** Objects that are unknown to the database after this time are orphans. */
const ORPHAN_AGE_MS = 48 * 3_600_000;
const BATCH = 500;

export function fileChores(files: Files, objects: ObjectStore): Chore[] {
  return [
    {
      name: JOBS.hashObject,
      run: async (database, log, { id }) => {
        let done = 0;
        const sha256 = await files.hash(String(id), (bytes) => {
          if (Math.floor((done + bytes) / LOG_PROGRESS_EVERY_BYTES) > Math.floor(done / LOG_PROGRESS_EVERY_BYTES)) {
            log.info({ object: id, gigabytes: Math.floor((done + bytes) / LOG_PROGRESS_EVERY_BYTES) }, 'hashing a large file');
          }
          done += bytes;
        });
        for (const shard of database.shards) await store.recordHash(shard, String(id), sha256);
        log.info({ object: id, bytes: done }, 'hashed a large file');
      },
    },
    {
      name: 'remove-unused-files',
      schedule: '37 * * * *',
      run: async (database, log) => {
        await store.removeOldPersonUsage(database);
        const expired: store.ExpiredUpload[] = [];
        for (const shard of database.shards) expired.push(...(await store.takeExpiredUploads(shard, EXPIRY_GRACE_S)));
        // An object that a message refers to stays. Bytes that were PUT to its URL later do not.
        for (const { id, objectId, partsRef, isReferredTo } of expired) {
          if (partsRef !== null) await objects.parts.drop({ id, ref: partsRef });
          await objects.removeUpload(id);
          if (!isReferredTo) await objects.remove(objectId);
        }
        let orphans = 0;
        let batch: string[] = [];
        const removeUnknown = async () => {
          let unknown = batch;
          for (const shard of database.shards) unknown = await store.unknownObjects(shard, unknown);
          for (const id of unknown) await objects.remove(id);
          orphans += unknown.length;
          batch = [];
        };
        for await (const id of objects.list(new Date(Date.now() - ORPHAN_AGE_MS))) if (batch.push(id) >= BATCH) await removeUnknown();
        await removeUnknown();
        if (expired.length + orphans > 0) log.info({ expired: expired.length, orphans }, 'removed unused files');
      },
    },
  ];
}

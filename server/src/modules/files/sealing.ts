import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../contract/errors.ts';
import { BUCKET_COPY_BYTES_PER_S_MIN, HASHED_AT_DELIVERY_MAX_BYTES, SEALING_PATIENCE_MS } from '../../contract/limits.ts';
import { type ObjectStore, UnfinishedCopy } from '../../platform/objects/object-store.ts';
import type { Database } from '../../platform/postgres.ts';
import * as store from './store.ts';

export interface Sealed {
  /** Undefined when nothing was uploaded. */
  sizeBytes: number | undefined;
  /** Null for a file that is hashed after delivery. */
  sha256: Buffer | null;
}

const LEASE_S = 60;
const LOOK_AGAIN_MS = 200;

/**
 * Turns an upload into an object and hashes it: once for each upload, across requests and processes. Both results are stored with
 * the upload, so that a message that is refused costs this once, not each time.
 */
export class Sealing {
  readonly #database: Database;
  readonly #objects: ObjectStore;
  readonly #hash: (objectId: string) => Promise<Buffer>;
  readonly #underWay = new Map<string, Promise<Sealed>>();

  constructor(database: Database, objects: ObjectStore, hash: (objectId: string) => Promise<Buffer>) {
    this.#database = database;
    this.#objects = objects;
    this.#hash = hash;
  }

  seal(partyId: bigint, upload: store.Upload): Promise<Sealed> {
    const underWay = this.#underWay.get(upload.id) ?? this.#sealOnce(partyId, upload).finally(() => this.#underWay.delete(upload.id));
    this.#underWay.set(upload.id, underWay);
    return underWay;
  }

  async #sealOnce(partyId: bigint, upload: store.Upload): Promise<Sealed> {
    const sizeBytes = upload.sealedBytes ?? (await this.#object(partyId, upload));
    if (sizeBytes !== upload.sizeBytes) return { sizeBytes, sha256: null };
    // By the size alone, even if another message has caused it to be hashed: so it is predictable what content_hash covers.
    if (sizeBytes > HASHED_AT_DELIVERY_MAX_BYTES) return { sizeBytes, sha256: null };
    if (upload.sha256) return { sizeBytes, sha256: upload.sha256 };
    const sha256 = await this.#hash(upload.id);
    await store.recordUploadHash(this.#database.of(partyId), partyId, upload.id, sha256);
    return { sizeBytes, sha256 };
  }

  /** Under a lease: one process seals, and the others wait until it is done, or its lease has lapsed. */
  async #object(partyId: bigint, { id, sizeBytes }: store.Upload): Promise<number | undefined> {
    // Twice the time that the object store gets for a copy, so that two copies never overlap.
    const leaseS = LEASE_S + (2 * sizeBytes) / BUCKET_COPY_BYTES_PER_S_MIN;
    const giveUpAt = Date.now() + SEALING_PATIENCE_MS;
    for (;;) {
      const found = await store.leaseSealing(this.#database.of(partyId), partyId, id, leaseS);
      if (found.isLeased) return this.#objectUnderLease(partyId, id);
      if (found.sealedBytes !== null) return found.sealedBytes;
      if (Date.now() > giveUpAt)
        throw new Refusal('unavailable', 'An upload of this message is still being prepared for another request. Try again later.', {
          retryAfterS: 5,
        });
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async #objectUnderLease(partyId: bigint, id: string): Promise<number | undefined> {
    let sealedBytes: number | undefined;
    try {
      sealedBytes = await this.#objects.seal(id);
    } catch (error) {
      // The bucket may still be copying, which must end before another copy begins: so the lease is left to lapse.
      if (!(error instanceof UnfinishedCopy)) await store.endSealing(this.#database.of(partyId), partyId, id, undefined);
      throw error;
    }
    await store.endSealing(this.#database.of(partyId), partyId, id, sealedBytes);
    return sealedBytes;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../contract/errors.ts';
import { BUCKET_COPY_BYTES_PER_S_MIN, HASHED_AT_DELIVERY_MAX_BYTES, SEALING_PATIENCE_MS } from '../../contract/limits.ts';
import { type ObjectStore, UnfinishedCopy } from '../../platform/objects/object-store.ts';
import type { Database } from '../../platform/postgres.ts';
import * as store from './store.ts';

const LEASE_S = 60;
const LOOK_AGAIN_MS = 200;

/** By the size alone, even if another message has caused it to be hashed: so it is predictable what content_hash covers. */
const isHashedLater = ({ sizeBytes }: store.Upload) => sizeBytes > HASHED_AT_DELIVERY_MAX_BYTES;

/** Whether a message with the upload has to read all of it first. */
export const isUnhashed = (upload: store.Upload) => !isHashedLater(upload) && upload.sha256 === null;

/**
 * Turns an upload into an object, and hashes it once nothing else can refuse its message: once for each upload, across requests and
 * processes. Both results are stored with the upload.
 */
export class Sealing {
  readonly #database: Database;
  readonly #objects: ObjectStore;
  readonly #hash: (objectId: string) => Promise<Buffer>;
  readonly #underWay = new Map<string, Promise<number | undefined>>();
  readonly #hashing = new Map<string, Promise<Buffer>>();

  constructor(database: Database, objects: ObjectStore, hash: (objectId: string) => Promise<Buffer>) {
    this.#database = database;
    this.#objects = objects;
    this.#hash = hash;
  }

  /** The size of the object; undefined when nothing was uploaded. */
  async seal(partyId: bigint, upload: store.Upload): Promise<number | undefined> {
    if (upload.sealedBytes !== null) return upload.sealedBytes;
    const underWay = this.#underWay.get(upload.id) ?? this.#object(partyId, upload).finally(() => this.#underWay.delete(upload.id));
    this.#underWay.set(upload.id, underWay);
    return underWay;
  }

  /** Of an upload that is sealed; null for one that is hashed after delivery. */
  async hash(partyId: bigint, upload: store.Upload): Promise<Buffer | null> {
    if (!isUnhashed(upload)) return isHashedLater(upload) ? null : upload.sha256;
    const hashing = this.#hashing.get(upload.id) ?? this.#hashOnce(partyId, upload.id).finally(() => this.#hashing.delete(upload.id));
    this.#hashing.set(upload.id, hashing);
    return hashing;
  }

  async #hashOnce(partyId: bigint, id: string): Promise<Buffer> {
    const sha256 = await this.#hash(id);
    await store.recordUploadHash(this.#database.of(partyId), partyId, id, sha256);
    return sha256;
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

import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { HASHED_AT_DELIVERY_MAX_BYTES, SEALING_PATIENCE_MS } from '../../contract/limits.ts';
import { isStoreUnavailable, type ObjectStore, UnfinishedCopy } from '../../platform/objects/object-store.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { endSealing, extendSealing, findSealed, leaseSealing, recordSealed, type Sealed } from './sealing-store.ts';
import * as store from './store.ts';

/** The others wait this long for a process that has died. On a busy machine a renewal can be late: then one copy too many is made. */
const LEASE_S = 8;
const RENEWED_EVERY_MS = 2_000;
const LOOK_AGAIN_MS = 200;
/** The object store is queried less often than the database. */
const LOOKS_PER_OBJECT = 5;

/**
 * The size alone decides, even if another message has caused the upload to be hashed, so that senders can predict what content_hash covers.
 */
const isHashedLater = ({ sizeBytes }: store.Upload) => sizeBytes > HASHED_AT_DELIVERY_MAX_BYTES;

/** A message with such an upload must read all of it first. */
export const isUnhashed = (upload: store.Upload) => !isHashedLater(upload) && upload.sha256 === null;

/**
 * Turns an upload into an object, and hashes it once nothing else can refuse its message. Each happens once per upload, across requests and
 * processes. Both results are stored with the upload.
 */
export class Sealing {
  readonly #database: Database;
  readonly #objects: ObjectStore;
  readonly #hash: (objectId: string) => Promise<Buffer>;
  readonly #underWay = new Map<string, Promise<Sealed | undefined>>();
  readonly #hashing = new Map<string, Promise<Buffer>>();

  constructor(database: Database, objects: ObjectStore, hash: (objectId: string) => Promise<Buffer>) {
    this.#database = database;
    this.#objects = objects;
    this.#hash = hash;
  }

  async seal(partyId: bigint, upload: store.Upload): Promise<Sealed | undefined> {
    if (upload.sealedBytes !== null) return { objectId: upload.objectId, sizeBytes: upload.sealedBytes };
    const underWay = this.#underWay.get(upload.id) ?? this.#object(partyId, upload.id).finally(() => this.#underWay.delete(upload.id));
    this.#underWay.set(upload.id, underWay);
    return underWay;
  }

  /** The upload is sealed. Returns null for one that is hashed after delivery. */
  async hash(partyId: bigint, upload: store.Upload): Promise<Buffer | null> {
    if (!isUnhashed(upload)) return isHashedLater(upload) ? null : upload.sha256;
    const hashing = this.#hashing.get(upload.id) ?? this.#hashOnce(partyId, upload).finally(() => this.#hashing.delete(upload.id));
    this.#hashing.set(upload.id, hashing);
    return hashing;
  }

  async #hashOnce(partyId: bigint, { id, objectId }: store.Upload): Promise<Buffer> {
    const sha256 = await this.#hash(objectId);
    await store.recordUploadHash(this.#database.of(partyId), partyId, id, sha256);
    return sha256;
  }

  #object(partyId: bigint, id: string): Promise<Sealed | undefined> {
    return this.#objects.sealsByCopy ? this.#objectByCopy(partyId, id) : this.#make(partyId, id, id);
  }

  /**
   * Copies take time, so one process copies, under a lease that it renews. The others wait until it has recorded its copy, or the lease has lapsed. A
   * process that died may have left a complete copy, which is used.
   */
  async #objectByCopy(partyId: bigint, id: string): Promise<Sealed | undefined> {
    const giveUpAt = Date.now() + SEALING_PATIENCE_MS;
    for (let looks = 0; ; looks++) {
      const objectId = newUuid();
      const found = await leaseSealing(this.#database.of(partyId), partyId, id, objectId, LEASE_S);
      if (found.sealed) return found.sealed;
      if (found.isLeased || looks % LOOKS_PER_OBJECT === 0) {
        const sizeBytes = await this.#objects.objectSize(found.copyId);
        if (sizeBytes !== undefined) return this.#record(partyId, id, { objectId: found.copyId, sizeBytes });
      }
      if (found.isLeased) return this.#copyUnderLease(partyId, id, objectId);
      if (Date.now() > giveUpAt)
        throw new Refusal('unavailable', 'An upload of this message is still being copied for another request. Try again later.', {
          retryAfterS: Math.max(1, found.leftS),
        });
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async #copyUnderLease(partyId: bigint, id: string, objectId: string): Promise<Sealed | undefined> {
    const database = this.#database.of(partyId);
    const renewal = setInterval(() => {
      extendSealing(database, partyId, id, LEASE_S).catch(() => {});
    }, RENEWED_EVERY_MS);
    try {
      const sealed = await this.#make(partyId, id, objectId).finally(() => clearInterval(renewal));
      if (!sealed) await endSealing(database, partyId, id);
      return sealed;
    } catch (error) {
      // A copy that takes the bucket too long may still be completed: the others wait for it, and begin no further one.
      if (error instanceof UnfinishedCopy) await extendSealing(database, partyId, id, error.givenS);
      else await endSealing(database, partyId, id);
      throw error;
    }
  }

  async #make(partyId: bigint, id: string, objectId: string): Promise<Sealed | undefined> {
    const sizeBytes = await this.#objects.seal(id, objectId);
    // The upload is missing if its bytes never came, and also once another process has recorded an object.
    if (sizeBytes === undefined) return findSealed(this.#database.of(partyId), partyId, id);
    return this.#record(partyId, id, { objectId, sizeBytes });
  }

  /** The upload is removed after the record, so that a process that dies in between loses no bytes. */
  async #record(partyId: bigint, id: string, made: Sealed): Promise<Sealed | undefined> {
    const sealed = await recordSealed(this.#database.of(partyId), partyId, id, made);
    try {
      await this.#objects.removeUpload(id);
      if (sealed && sealed.objectId !== made.objectId) await this.#objects.remove(made.objectId);
    } catch (error) {
      // The clean-up removes what can't be removed now.
      if (!isStoreUnavailable(error)) throw error;
    }
    return sealed;
  }
}

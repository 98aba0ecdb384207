import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../contract/errors.ts';
import { HASHED_AT_DELIVERY_MAX_BYTES, SEALING_PATIENCE_MS } from '../../contract/limits.ts';
import { type ObjectStore, UnfinishedCopy } from '../../platform/objects/object-store.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';

const RENEWED_EVERY_MS = 2_000;
/** A renewal can be late on a busy machine. */
const RENEWAL_SLACK_S = 8;
const LOOK_AGAIN_MS = 200;
/** The object store is queried less often than the database. */
const LOOKS_PER_OBJECT = 5;

/**
 * The size alone decides, even if another message has caused the upload to be hashed, so that senders can predict what content_hash covers.
 */
const isHashedLater = ({ sizeBytes }: store.Upload) => sizeBytes > HASHED_AT_DELIVERY_MAX_BYTES;

/** A message with such an upload has to read all of it first. */
export const isUnhashed = (upload: store.Upload) => !isHashedLater(upload) && upload.sha256 === null;

/**
 * Turns an upload into an object, and hashes it once nothing else can refuse its message. Each happens once per upload, across requests and
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

  async seal(partyId: bigint, upload: store.Upload): Promise<number | undefined> {
    if (upload.sealedBytes !== null) return upload.sealedBytes;
    const underWay = this.#underWay.get(upload.id) ?? this.#object(partyId, upload).finally(() => this.#underWay.delete(upload.id));
    this.#underWay.set(upload.id, underWay);
    return underWay;
  }

  /** The upload is sealed. Returns null for one that is hashed after delivery. */
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

  /** If a copy takes time, one process seals under a lease. The others wait until the copy is done, or the lease has lapsed. */
  async #object(partyId: bigint, { id, sizeBytes }: store.Upload): Promise<number | undefined> {
    const outlivesS = this.#objects.sealingOutlivesS(sizeBytes);
    if (outlivesS === 0) return this.#sealAndRecord(partyId, id);
    const leaseS = outlivesS + RENEWAL_SLACK_S;
    const giveUpAt = Date.now() + SEALING_PATIENCE_MS;
    for (let looks = 0; ; looks++) {
      const found = await store.leaseSealing(this.#database.of(partyId), partyId, id, leaseS);
      if (found.isLeased) return this.#objectUnderLease(partyId, id, leaseS);
      if (found.sealedBytes !== null) return found.sealedBytes;
      // A process that died may have left a finished copy, which never changes from then on.
      if (looks % LOOKS_PER_OBJECT === 0 && (await this.#objects.objectSize(id)) !== undefined) return this.#sealAndRecord(partyId, id);
      if (Date.now() > giveUpAt)
        throw new Refusal(
          'unavailable',
          'An upload of this message is still being copied for another request, or for one that was interrupted. Try again later.',
          { retryAfterS: Math.max(1, found.leftS) },
        );
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async #objectUnderLease(partyId: bigint, id: string, leaseS: number): Promise<number | undefined> {
    // The lease outlives a dead process by no more than a copy that the process has begun.
    const renewal = setInterval(() => {
      store.extendSealing(this.#database.of(partyId), partyId, id, leaseS).catch(() => {});
    }, RENEWED_EVERY_MS);
    try {
      return await this.#sealAndRecord(partyId, id);
    } catch (error) {
      // The bucket may still be copying, which must end before another copy begins. So the lease is left to lapse.
      if (!(error instanceof UnfinishedCopy)) await store.endSealing(this.#database.of(partyId), partyId, id, undefined);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  async #sealAndRecord(partyId: bigint, id: string): Promise<number | undefined> {
    const sealedBytes = await this.#objects.seal(id);
    await store.endSealing(this.#database.of(partyId), partyId, id, sealedBytes);
    return sealedBytes;
  }
}

import { Refusal } from '../../contract/errors.ts';
import { JSON_MAX_LEVELS, SCHEMA_MAX_BYTES } from '../../contract/limits.ts';
import { Cache } from '../../platform/cache.ts';
import { type ChangeFeed, changingCached } from '../../platform/change-feed.ts';
import type { Database } from '../../platform/postgres.ts';
import { CheckerBusy, type SchemaChecker } from '../../platform/schema-checker/checker.ts';
import * as store from './store.ts';

const BUSY_RETRY_S = 5;
/** Apart from the directory, so that whoever sets schemas again and again empties no other cache. */
const SCHEMAS = 'inbox-schemas';

/** What a message records about its payload; `errors` is JSON text. */
export interface Verdict {
  status: 'passed' | 'failed' | 'not_applicable';
  errors: string;
}

export const UNCHECKED: Verdict = { status: 'not_applicable', errors: '[]' };
const PASSED: Verdict = { status: 'passed', errors: '[]' };

/** A schema as its owner wrote it, found in the body of a request. */
export interface WrittenSchema {
  raw: Buffer;
  levels: number;
}

/** The schemas that businesses have set for their inboxes, and what they say of messages. */
export class InboxSchemas {
  readonly #database: Database;
  readonly #checker: SchemaChecker;
  readonly #feed: ChangeFeed;
  /** By party; null for one that has no schema. */
  readonly #versions: Cache<{ version: string | null }>;

  constructor(database: Database, feed: ChangeFeed, checker: SchemaChecker) {
    this.#database = database;
    this.#checker = checker;
    this.#feed = feed;
    this.#versions = new Cache(feed, SCHEMAS);
  }

  /** Has workers ready before a message needs them: now if anybody has a schema, otherwise when the first one is set, wherever that is. */
  async keepReady(): Promise<void> {
    this.#feed.onChange((subject) => {
      if (subject === SCHEMAS) void this.#checker.warm();
    });
    if (await store.hasAny(this.#database)) await this.#checker.warm();
  }

  find(partyId: bigint): Promise<store.StoredSchema | undefined> {
    return store.findSchema(this.#database, partyId);
  }

  /** Once it returns, every process judges by it. */
  async set(partyId: bigint, { raw, levels }: WrittenSchema): Promise<store.StoredSchema> {
    if (raw.length > SCHEMA_MAX_BYTES) throw tooLarge(raw.length);
    if (levels > JSON_MAX_LEVELS) throw refused(`it is nested deeper than ${JSON_MAX_LEVELS} levels`);
    const text = raw.toString('utf8');
    const reason = await this.#reasonAgainst(partyId, text);
    if (reason !== undefined) throw refused(reason);
    return changingCached(this.#database, (tx) => store.saveSchema(tx, partyId, text), SCHEMAS);
  }

  async clear(partyId: bigint): Promise<void> {
    await changingCached(this.#database, (tx) => store.deleteSchema(tx, partyId), SCHEMAS);
  }

  /** Of what is delivered now. Takes half a second at most, and a look into memory where no schema is set. */
  async judge(partyId: bigint, json: Buffer): Promise<Verdict> {
    const known = await this.#versions.load(String(partyId), async () => ({
      version: (await store.findVersion(this.#database, partyId)) ?? null,
    }));
    if (!known || known.version === null) return UNCHECKED;
    const load = async () => (await store.findSchema(this.#database, partyId))?.text ?? 'true';
    const issues = await this.#checker.issuesOf({ party: String(partyId), version: known.version, load }, json);
    return issues ? { status: 'failed', errors: JSON.stringify(issues) } : PASSED;
  }

  async #reasonAgainst(partyId: bigint, text: string): Promise<string | undefined> {
    try {
      return await this.#checker.reasonAgainst(String(partyId), text);
    } catch (error) {
      if (!(error instanceof CheckerBusy)) throw error;
      throw new Refusal('unavailable', 'Too many schemas are being set at the moment.', { retryAfterS: BUSY_RETRY_S });
    }
  }
}

export function tooLarge(bytes: number): Refusal {
  return refused(`it has ${bytes} bytes, and may have ${SCHEMA_MAX_BYTES}`);
}

function refused(reason: string): Refusal {
  return new Refusal('invalid_schema', `The schema can't be used: ${reason}.`);
}

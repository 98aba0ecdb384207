import { Refusal } from '../../contract/errors.ts';
import {
  JSON_MAX_LEVELS,
  SCHEMA_CHECKS_AT_ONCE_MAX,
  SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX,
  SCHEMA_MAX_BYTES,
} from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { Cache } from '../../platform/cache.ts';
import { type ChangeFeed, changingCached } from '../../platform/change-feed.ts';
import type { Database } from '../../platform/postgres.ts';
import {
  CheckerBusy,
  refusalFor,
  type SchemaChecker,
  type SchemaIssue,
  type SchemaRefusal,
} from '../../platform/schema-checker/checker.ts';
import { type Holder, NoneLeft, Shares } from '../../platform/shares.ts';
import * as store from './store.ts';

const BUSY_RETRY_S = 5;
const CHECKS_RETRY_S = 1;

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

/** What somebody who writes a schema, or a message, wants to know. Without a schema that of the inbox is meant; null is none. */
export interface Question {
  schema: WrittenSchema | null | undefined;
  json: Buffer | undefined;
}

export interface Checked {
  /** Undefined when the schema can be used, or there is none. */
  refusal: SchemaRefusal | undefined;
  /** Undefined when there is nothing to judge, or nothing to judge by. */
  verdict: Verdict | undefined;
}

/** The schemas that businesses have set for their inboxes, and what they say of messages. */
export class InboxSchemas {
  readonly #database: Database;
  readonly #checker: SchemaChecker;
  readonly #feed: ChangeFeed;
  /** By party; null for one that has no schema. */
  readonly #versions: Cache<{ version: string | null }>;
  /** Requests that are under way. Each is held in memory. */
  readonly #requests = new Shares({ total: Number.POSITIVE_INFINITY, keptBack: 0, little: 0 });

  constructor(database: Database, feed: ChangeFeed, checker: SchemaChecker) {
    this.#database = database;
    this.#checker = checker;
    this.#feed = feed;
    this.#versions = new Cache(feed, 'schema');
  }

  /** Has workers ready before a message needs them: now if anybody has a schema, otherwise when the first one is set, wherever that is. */
  async keepReady(): Promise<void> {
    this.#feed.onChange('schema', (partyId) => {
      if (partyId !== undefined) void this.#checker.warm();
    });
    if (await store.hasAny(this.#database)) await this.#checker.warm();
  }

  find(partyId: bigint): Promise<store.StoredSchema | undefined> {
    return store.findSchema(this.#database, partyId);
  }

  /** Once it returns, every process judges by it. */
  async set(caller: Caller, written: WrittenSchema): Promise<store.StoredSchema> {
    const partyId = caller.business.id;
    const text = written.raw.toString('utf8');
    const judge = () => unlessBusy(this.#checker.refusalOf(String(partyId), text));
    const refusal = unfit(written) ?? (await this.#counting(caller, judge));
    if (refusal) throw refused(refusal.reason);
    return changingCached(this.#database, partyId, (tx) => store.saveSchema(tx, partyId, text), { kind: 'schema', id: partyId });
  }

  async clear(partyId: bigint): Promise<void> {
    await changingCached(this.#database, partyId, (tx) => store.deleteSchema(tx, partyId), { kind: 'schema', id: partyId });
  }

  /** Of what is delivered now. Takes half a second at most, and a look into memory where no schema is set. */
  async judge(partyId: bigint, json: Buffer): Promise<Verdict> {
    const read = async () => ({ version: (await store.findVersion(this.#database, partyId)) ?? null });
    const known = await this.#versions.load(String(partyId), read, () => [partyId]);
    if (!known || known.version === null) return UNCHECKED;
    const load = async () => (await store.findSchema(this.#database, partyId))?.text ?? 'true';
    const issues = await this.#checker.issuesOf({ party: String(partyId), version: known.version, load }, json);
    return verdictOf(issues);
  }

  /** Says of both what set and judge would say, and keeps nothing. `gone` is whoever asked, who may have typed on meanwhile. */
  check(caller: Caller, question: Question, gone: AbortSignal): Promise<Checked> {
    return this.#counting(caller, () => this.#check(caller.business.id, question, gone));
  }

  async #counting<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const done = this.#take(holdersOf(caller));
    try {
      return await work();
    } finally {
      done();
    }
  }

  #take(holders: Holder[]): () => void {
    try {
      return this.#requests.take(holders);
    } catch (error) {
      if (!(error instanceof NoneLeft) || !error.holder) throw error;
      const who = error.holder === holders[0] ? 'A business' : 'A person';
      throw new Refusal('rate_limited', `${who} can set or check ${error.holder.max} schemas at once. Try again later.`, {
        retryAfterS: CHECKS_RETRY_S,
      });
    }
  }

  async #check(partyId: bigint, { schema, json }: Question, gone: AbortSignal): Promise<Checked> {
    const text = schema === undefined ? (await this.find(partyId))?.text : schema?.raw.toString('utf8');
    if (text === undefined) return { refusal: undefined, verdict: json && UNCHECKED };
    const tooMuch = schema ? unfit(schema) : undefined;
    if (tooMuch) return { refusal: tooMuch, verdict: undefined };
    const { refusal, issues } = await unlessBusy(this.#checker.tryOut(String(partyId), text, json, gone));
    return { refusal, verdict: refusal || !json ? undefined : verdictOf(issues) };
  }
}

function holdersOf({ business, by }: Caller): Holder[] {
  const ofBusiness = { name: `business ${business.id}`, max: SCHEMA_CHECKS_AT_ONCE_MAX };
  if (by.kind === 'key') return [ofBusiness];
  return [ofBusiness, { name: `person ${by.person.id}`, max: SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX }];
}

function verdictOf(issues: SchemaIssue[] | undefined): Verdict {
  return issues ? { status: 'failed', errors: JSON.stringify(issues) } : PASSED;
}

async function unlessBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CheckerBusy)) throw error;
    throw new Refusal('unavailable', 'Too many schemas are being set or checked at the moment. Try again later.', {
      retryAfterS: BUSY_RETRY_S,
    });
  }
}

/** What can be said of a schema without reading it. */
function unfit({ raw, levels }: WrittenSchema): SchemaRefusal | undefined {
  if (raw.length > SCHEMA_MAX_BYTES) return refusalFor(tooManyBytes(raw.length));
  return levels > JSON_MAX_LEVELS ? refusalFor(`it is nested deeper than ${JSON_MAX_LEVELS} levels`) : undefined;
}

export function tooLarge(bytes: number): Refusal {
  return refused(tooManyBytes(bytes));
}

function tooManyBytes(bytes: number): string {
  return `it has ${bytes} bytes, and may have ${SCHEMA_MAX_BYTES}`;
}

function refused(reason: string): Refusal {
  return new Refusal('invalid_schema', `The schema can't be used: ${reason}.`);
}

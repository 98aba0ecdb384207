import type { Spend } from '../../contract/cost.ts';
import { Refusal } from '../../contract/errors.ts';
import {
  CHECK_CHARGED_MAX_MS,
  JSON_MAX_LEVELS,
  SCHEMA_CHECKS_AT_ONCE_MAX,
  SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX,
  SCHEMA_MAX_BYTES,
} from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { type Holder, NoneLeft, Shares } from '../../platform/fairness/shares.ts';
import {
  CheckerBusy,
  refusalFor,
  type SchemaChecker,
  type SchemaIssue,
  type SchemaRefusal,
} from '../../platform/json/schema-checker/checker.ts';
import { Cache } from '../../platform/postgres/cache.ts';
import { type ChangeFeed, changeCached } from '../../platform/postgres/change-feed.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';
import * as typeStore from './type-store.ts';

const BUSY_RETRY_S = 5;
const CHECKS_RETRY_S = 1;

/** The validation result that a message records. `errors` is JSON text. */
export interface Verdict {
  status: 'passed' | 'failed' | 'not_applicable';
  errors: string;
}

export const UNCHECKED: Verdict = { status: 'not_applicable', errors: '[]' };
const PASSED: Verdict = { status: 'passed', errors: '[]' };

export interface WrittenSchema {
  raw: Buffer;
  levels: number;
}

/** A check of a schema, of JSON, or both. Undefined: the schema of the inbox is used. Null: none. */
export interface Question {
  schema: WrittenSchema | null | undefined;
  json: Buffer | undefined;
}

export interface Checked {
  refusal: SchemaRefusal | undefined;
  /** Undefined without JSON to check, or without a schema to check it against. */
  verdict: Verdict | undefined;
}

/** The versions of a party's schemas: that of the inbox, and those of single types. */
interface Versions {
  inbox: string | undefined;
  byType: ReadonlyMap<string, string>;
}

/** Versions of types that take as much memory as the entry of a party without any. */
const TYPES_PER_WEIGHT = 2;

export class InboxSchemas {
  readonly #database: Database;
  readonly #checker: SchemaChecker;
  readonly #feed: ChangeFeed;
  /** Key: party. */
  readonly #versions: Cache<Versions>;
  /** The requests under way, each of which is held in memory. */
  readonly #requests = new Shares({ total: Number.POSITIVE_INFINITY, keptBack: 0, little: 0 });

  constructor(database: Database, feed: ChangeFeed, checker: SchemaChecker) {
    this.#database = database;
    this.#checker = checker;
    this.#feed = feed;
    this.#versions = new Cache(feed, 'schema', ({ byType }) => 1 + Math.ceil(byType.size / TYPES_PER_WEIGHT));
  }

  /** Starts workers before a message needs them: now if any business has a schema, otherwise when any process sets the first one. */
  async keepReady(): Promise<void> {
    this.#feed.onChange('schema', (partyId) => {
      if (partyId !== undefined) void this.#checker.warm();
    });
    for (const shard of this.#database.shards)
      if ((await store.hasAny(shard)) || (await typeStore.hasAnyOfTypes(shard))) return this.#checker.warm();
  }

  find(partyId: bigint): Promise<store.StoredSchema | undefined> {
    return store.findSchema(this.#database.of(partyId), partyId);
  }

  /** Takes effect in every process before it returns. */
  async set(caller: Caller, written: WrittenSchema, spend: Spend): Promise<store.StoredSchema> {
    const partyId = caller.business.id;
    const text = await this.accepted(caller, written, spend);
    return changeCached(this.#database, partyId, (tx) => store.saveSchema(tx, partyId, text), { kind: 'schema', id: partyId });
  }

  /** Returns the text of a schema that can be set, and refuses any other. */
  async accepted(caller: Caller, written: WrittenSchema, spend: Spend): Promise<string> {
    const text = written.raw.toString('utf8');
    const judge = () => unlessBusy(this.#checker.refusalOf(String(caller.business.id), text, (workerMs) => spend({ workerMs })));
    const refusal = problemOf(written) ?? (await this.#withSlot(caller, judge));
    if (refusal) throw schemaRefusal(refusal.reason);
    return text;
  }

  async publish(partyId: bigint, isPublished: boolean): Promise<store.StoredSchema> {
    const schema = await this.#database.of(partyId).transaction((tx) => store.setPublished(tx, partyId, isPublished));
    if (!schema) throw new Refusal('not_found', 'Your inbox has no schema. Set one first.');
    return schema;
  }

  /** Returns undefined for a business without a schema, and for one that does not publish it: nobody else learns the difference. */
  async findPublished(partyId: bigint): Promise<store.StoredSchema | undefined> {
    const schema = await this.find(partyId);
    return schema?.isPublished ? schema : undefined;
  }

  async clear(partyId: bigint): Promise<void> {
    await changeCached(this.#database, partyId, (tx) => store.deleteSchema(tx, partyId), { kind: 'schema', id: partyId });
  }

  /**
   * Validates a message that is being delivered, by the schema of its type if there is one, otherwise by that of the inbox. Takes half a
   * second at most, and only a cache look-up without a schema. `spend` charges the sender for no more than a usual schema takes, because a slow
   * schema is not the sender's choice.
   */
  async judge(partyId: bigint, type: string | null, json: Buffer, spend: Spend | undefined): Promise<Verdict> {
    const versions = await this.#versions.load(
      String(partyId),
      () => this.#readVersions(partyId),
      () => [partyId],
    );
    const ofType = type === null ? undefined : versions.byType.get(type);
    const version = ofType ?? versions.inbox;
    if (version === undefined) return UNCHECKED;
    const load = async () => (await this.#find(partyId, ofType === undefined ? null : type))?.text ?? 'true';
    const onUsed = (ms: number) => spend?.({ workerMs: Math.min(ms, CHECK_CHARGED_MAX_MS) });
    // Two schemas can have been set in the same microsecond, so a version of a type names it.
    const name = ofType === undefined ? version : `${version} ${type}`;
    return verdictOf(await this.#checker.issuesOf({ party: String(partyId), version: name, load }, json, onUsed));
  }

  async #readVersions(partyId: bigint): Promise<Versions> {
    const rows = await typeStore.findVersions(this.#database.of(partyId), partyId);
    const inbox = rows.find(({ type }) => type === null)?.version;
    return { inbox, byType: new Map(rows.flatMap(({ type, version }) => (type === null ? [] : [[type, version]]))) };
  }

  #find(partyId: bigint, type: string | null): Promise<store.StoredSchema | undefined> {
    return type === null ? this.find(partyId) : typeStore.findTypeSchema(this.#database.of(partyId), partyId, type);
  }

  /** The published schema by which messages of this type are judged. Undefined, too, if the party publishes only another one. */
  async findPublishedFor(partyId: bigint, type: string | undefined): Promise<store.StoredSchema | undefined> {
    const ofType = type === undefined ? undefined : await this.#find(partyId, type);
    if (ofType) return ofType.isPublished ? ofType : undefined;
    return this.findPublished(partyId);
  }

  /** Returns the result that `set` and `judge` would have, without side effects. `gone` is aborted when the client disconnects. */
  check(caller: Caller, question: Question, gone: AbortSignal, spend: Spend): Promise<Checked> {
    return this.#withSlot(caller, () => this.#check(caller.business.id, question, gone, spend));
  }

  /** Returns the result that a message with this JSON would have, if the recipient publishes its schema. */
  checkFor(
    caller: Caller,
    recipient: { id: bigint; type: string | undefined },
    json: Buffer,
    gone: AbortSignal,
    spend: Spend,
  ): Promise<Verdict> {
    return this.#withSlot(caller, async () => {
      const schema = await this.findPublishedFor(recipient.id, recipient.type);
      return schema ? this.#checkBy(caller, schema.text, json, gone, spend) : UNCHECKED;
    });
  }

  /** Checks JSON by a schema that can be set, and that is not the caller's. */
  checkBy(caller: Caller, schema: string, json: Buffer, gone: AbortSignal, spend: Spend): Promise<Verdict> {
    return this.#withSlot(caller, () => this.#checkBy(caller, schema, json, gone, spend));
  }

  async #checkBy(caller: Caller, schema: string, json: Buffer, gone: AbortSignal, spend: Spend): Promise<Verdict> {
    // The name is separate: a slow schema of somebody else must not make the caller's own schemas count as slow.
    const party = `${caller.business.id} for others`;
    const onUsed = (workerMs: number) => spend({ workerMs });
    const { refusal, issues } = await unlessBusy(this.#checker.tryOut(party, schema, json, gone, onUsed));
    if (refusal) throw busy();
    return verdictOf(issues);
  }

  async #withSlot<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
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

  async #check(partyId: bigint, { schema, json }: Question, gone: AbortSignal, spend: Spend): Promise<Checked> {
    const text = schema === undefined ? (await this.find(partyId))?.text : schema?.raw.toString('utf8');
    if (text === undefined) return { refusal: undefined, verdict: json && UNCHECKED };
    const tooMuch = schema ? problemOf(schema) : undefined;
    if (tooMuch) return { refusal: tooMuch, verdict: undefined };
    const onUsed = (workerMs: number) => spend({ workerMs });
    const { refusal, issues } = await unlessBusy(this.#checker.tryOut(String(partyId), text, json, gone, onUsed));
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
    throw error instanceof CheckerBusy ? busy() : error;
  }
}

function busy(): Refusal {
  const message = 'Too many schemas are being set or checked at the moment. Try again later.';
  return new Refusal('unavailable', message, { retryAfterS: BUSY_RETRY_S });
}

function problemOf({ raw, levels }: WrittenSchema): SchemaRefusal | undefined {
  if (raw.length > SCHEMA_MAX_BYTES) return refusalFor(tooManyBytes(raw.length));
  return levels > JSON_MAX_LEVELS ? refusalFor(`it is nested deeper than ${JSON_MAX_LEVELS} levels`) : undefined;
}

export function tooLarge(bytes: number): Refusal {
  return schemaRefusal(tooManyBytes(bytes));
}

function tooManyBytes(bytes: number): string {
  return `it has ${bytes} bytes, and may have ${SCHEMA_MAX_BYTES}`;
}

function schemaRefusal(reason: string): Refusal {
  return new Refusal('invalid_schema', `The schema can't be used: ${reason}.`);
}

import pg from 'pg';
import type { Columns } from '../../src/platform/postgres/statement.ts';
import { SHARD_PATHS } from './sharded.ts';

export interface DescribedColumn {
  name: string;
  type: string;
  labels: string[] | undefined;
  /** The value comes directly from a column that allows null. Undefined for an expression, and where an outer join may make it null. */
  allowsNull: boolean | undefined;
}

/** Says how the declaration differs from the described columns. */
export function differences(declared: Columns, described: readonly DescribedColumn[]): string[] {
  const names = described.map(({ name }) => name);
  return [
    ...names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} is returned twice`),
    ...names.filter((name) => !(name in declared)).map((name) => `${name} is returned, but not declared`),
    ...Object.keys(declared).flatMap((name) => {
      const column = described.find((one) => one.name === name);
      return column ? differencesOf(declared, column) : [`${name} is declared, but not returned`];
    }),
  ];
}

function differencesOf(declared: Columns, { name, type, labels, allowsNull }: DescribedColumn): string[] {
  const declaration = declared[name] ?? '';
  const [, wanted = '', mark] = /^(.*?)([?!]?)$/.exec(typeof declaration === 'string' ? declaration : declaration.type) ?? [];
  const wantedLabels = typeof declaration === 'string' ? undefined : declaration.labels;
  if (wanted !== type) return [`${name} is declared as ${wanted}, but has the type ${type}`];
  if (labels !== undefined && wantedLabels?.toSorted().join() !== labels.toSorted().join())
    return [`${name} is declared as one of ${wantedLabels?.join() ?? 'nothing'}, but is one of ${labels.join()}`];
  if (mark === '' && allowsNull) return [`${name} is declared as never null, but its table allows null`];
  if (mark === '?' && allowsNull === false) return [`${name} is declared as nullable, but its table does not allow null`];
  if (mark === '!' && !allowsNull) return [`${name} is marked with !, but its table does not allow null`];
  return [];
}

const OUTER_JOIN = /\b(LEFT|RIGHT|FULL)\s+(OUTER\s+)?JOIN\b/i;

/** The names of types in statements, where PostgreSQL writes the standard name. */
const SHORT_NAMES: Record<string, string> = { 'timestamp with time zone': 'timestamptz', 'double precision': 'float8' };

/** Prepares statements on a database with the real schema, without running them. */
export class Describer {
  readonly #client: pg.Client;
  readonly #types = new Map<number, { name: string; labels: string[] | null }>();
  readonly #nullability = new Map<string, boolean>();

  constructor(databaseUrl: string) {
    this.#client = new pg.Client({ connectionString: databaseUrl });
  }

  async open(): Promise<void> {
    await this.#client.connect();
    // Every shard has the same tables.
    const [path] = SHARD_PATHS;
    if (path) await this.#client.query(`SET search_path = ${path}`);
    const types = await this.#client.query<{ oid: number; name: string; labels: string[] | null }>(
      `SELECT t.oid, format_type(t.oid, NULL) AS name,
              (SELECT array_agg(e.enumlabel::text) FROM pg_enum e WHERE e.enumtypid = t.oid) AS labels FROM pg_type t`,
    );
    for (const { oid, name, labels } of types.rows) this.#types.set(oid, { name: SHORT_NAMES[name] ?? name, labels });
    const columns = await this.#client.query<{ id: string; allows_null: boolean }>(
      `SELECT attrelid::text || ' ' || attnum AS id, NOT attnotnull AS allows_null FROM pg_attribute WHERE attnum > 0`,
    );
    for (const { id, allows_null } of columns.rows) this.#nullability.set(id, allows_null);
  }

  async describe(text: string): Promise<DescribedColumn[]> {
    const fields = await new Promise<pg.FieldDef[]>((resolve, reject) => this.#client.query(new Preparation(text, resolve, reject)));
    const isJoinedOuter = OUTER_JOIN.test(text);
    return fields.map(({ name, dataTypeID, tableID, columnID }) => {
      const type = this.#types.get(dataTypeID);
      const allowsNull = this.#nullability.get(`${tableID} ${columnID}`);
      return {
        name,
        type: type?.name ?? `${dataTypeID}`,
        labels: type?.labels ?? undefined,
        allowsNull: allowsNull === false && isJoinedOuter ? undefined : allowsNull,
      };
    });
  }

  async row(text: string): Promise<Record<string, unknown>> {
    return (await this.#client.query(text)).rows[0];
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** Parse and Describe of the protocol, which pg itself sends only together with Execute. */
class Preparation implements pg.Submittable {
  #fields: pg.FieldDef[] = [];
  readonly #text: string;
  readonly #resolve: (fields: pg.FieldDef[]) => void;
  readonly handleError: (error: Error) => void;

  constructor(text: string, resolve: (fields: pg.FieldDef[]) => void, reject: (error: Error) => void) {
    this.#text = text;
    this.#resolve = resolve;
    this.handleError = reject;
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#fields = fields;
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#fields);
  }
}

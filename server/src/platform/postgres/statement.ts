/**
 * SQL statements declare the columns that they return. The type of a row follows from them. statements.test.ts prepares every declared statement on
 * the real schema and compares its columns with the declaration.
 */

/** The values that pg returns. 64-bit integers and numerics stay text: a number could lose digits. */
interface Values {
  uuid: string;
  text: string;
  bigint: string;
  numeric: string;
  integer: number;
  smallint: number;
  float8: number;
  boolean: boolean;
  timestamptz: Date;
  bytea: Buffer;
  'text[]': string[];
  void: unknown;
}

type Plain = keyof Values;
/** `?`: may be null. `!`: its table allows null, but this statement returns none. */
type Marked<Type extends string> = Type | `${Type}?` | `${Type}!`;
type Nullable<Type, Value> = Type extends `${string}?` ? Value | null : Value;

/** A column whose TypeScript type does not follow from its PostgreSQL type. */
export class TypedColumn<Value> {
  declare readonly value: Value;
  readonly type: string;
  readonly labels: readonly string[] | undefined;

  constructor(type: string, labels?: readonly string[]) {
    this.type = type;
    this.labels = labels;
  }
}

export function oneOf<const Type extends string, const Label extends string>(type: Type, labels: readonly Label[]) {
  return new TypedColumn<Nullable<Type, Label>>(type, labels);
}

/** `Value` must include null if the type has a `?`. */
export function json<Value>(type: Marked<'json' | 'jsonb'> = 'json') {
  return new TypedColumn<Value>(type);
}

export type Columns = Readonly<Record<string, Marked<Plain> | TypedColumn<unknown>>>;

type ValueOf<Column> =
  Column extends TypedColumn<infer Value>
    ? Value
    : Column extends Marked<infer Type extends Plain>
      ? Nullable<Column, Values[Type]>
      : never;

export type RowOf<Declared extends Columns> = { -readonly [Name in keyof Declared]: ValueOf<Declared[Name]> };

export function columns<const Declared extends Columns>(declared: Declared): Declared {
  return declared;
}

export function namesOf(columns: Columns, table?: string): string {
  return Object.keys(columns)
    .map((name) => (table === undefined ? name : `${table}.${name}`))
    .join(', ');
}

/** Only the functions below create statements, so that all are registered here. */
class Statement<Row = unknown> {
  declare readonly row: Row;
  /** The name of a prepared statement, which each connection parses once. */
  readonly name: string | undefined;
  readonly text: string;
  readonly columns: Columns;

  constructor(name: string | undefined, text: string, columns: Columns) {
    this.name = name;
    this.text = text;
    this.columns = columns;
  }
}

export type { Statement };

const declared: { all(): Iterable<Statement> }[] = [];

export function* declaredStatements(): Generator<Statement> {
  for (const one of declared) yield* one.all();
}

export function statement<const Declared extends Columns = Record<never, never>>(text: string, columns?: Declared) {
  return register<Declared>(undefined, text, columns);
}

/** PostgreSQL ignores the rest of a longer name, and so would take two statements for one. */
const NAME_MAX_CHARS = 63;

/** Declares a statement that each connection parses once. Its name must be unique. */
export function prepared<const Declared extends Columns = Record<never, never>>(name: string, text: string, columns?: Declared) {
  if (name.length > NAME_MAX_CHARS) throw new Error(`the name of a statement is longer than ${NAME_MAX_CHARS} characters: ${name}`);
  return register<Declared>(name, text, columns);
}

function register<Declared extends Columns>(name: string | undefined, text: string, columns: Columns = {}): Statement<RowOf<Declared>> {
  const made = new Statement<RowOf<Declared>>(name, text, columns);
  declared.push({ all: () => [made] });
  return made;
}

type Options = Readonly<Record<string, readonly (string | boolean)[]>>;
type Choice<Offered extends Options> = { readonly [Name in keyof Offered]: Offered[Name][number] };

class Variants<Offered extends Options, Row> {
  readonly #options: Offered;
  readonly #columns: Columns;
  readonly #compose: (choice: Choice<Offered>) => string;
  readonly #made = new Map<string, Statement<Row>>();

  constructor(options: Offered, columns: Columns, compose: (choice: Choice<Offered>) => string) {
    this.#options = options;
    this.#columns = columns;
    this.#compose = compose;
    declared.push(this);
  }

  of(choice: Choice<Offered>): Statement<Row> {
    let key = '';
    for (const name in this.#options) key += `${choice[name]} `;
    let made = this.#made.get(key);
    if (made === undefined) {
      made = new Statement<Row>(undefined, this.#compose(choice), this.#columns);
      this.#made.set(key, made);
    }
    return made;
  }

  *all(): Generator<Statement<Row>> {
    for (const choice of choices(Object.entries(this.#options))) yield this.of(choice as Choice<Offered>);
  }
}

function* choices([first, ...rest]: [string, readonly (string | boolean)[]][]): Generator<Record<string, string | boolean>> {
  if (first === undefined) return yield {};
  for (const choice of choices(rest)) for (const value of first[1]) yield { [first[0]]: value, ...choice };
}

export function variants<const Offered extends Options, const Declared extends Columns>(
  options: Offered,
  columns: Declared,
  compose: (choice: Choice<Offered>) => string,
) {
  return new Variants<Offered, RowOf<Declared>>(options, columns, compose);
}

import { type Item, type Layout, type Schema, schemaAt, type Table } from '../../../packages/documents/src/index.ts';
import { childrenOf } from '../json/rows.ts';
import { namesIn, pointerOf, type Reader } from './reader.ts';
import { Rest } from './rest.ts';
import { Seen } from './seen.ts';
import type { Column, Part, Sheet, TablePart } from './sheet.ts';
import type { Entry, Kind } from './values.ts';
import { labelOf } from './words.ts';

/** What is known of a value besides the layout. */
export interface Description {
  label?: string | undefined;
  kind?: Kind | undefined;
}

/** Describes the value at a JSON Pointer; in a table, the pointer begins at the row. */
export type Describe = (pointer: string, table?: string) => Description;

const LABEL_CHARS_MAX = 80;
/** Of a layout by a stranger. */
const COLUMNS_MAX = 40;
const ROWS_JUDGED = 200;

/** A sheet as the layout of a type says. What has another form than the layout expects is shown last, like all that it does not name. */
export function sheetByLayout(reader: Reader, title: string, layout: Layout, describe: Describe): Sheet {
  return new Builder(reader, layout, describe).sheet(title);
}

/** How many of the outermost values of a document the layout names: a document of another form is better shown by guesses. */
export function coverage(reader: Reader, { number, currency, parties, facts, lines, tables, totals, terms, notes }: Layout): number {
  const paths = [number, currency ?? number, ...parties, ...notes, ...[...facts, ...totals, ...terms].map(({ path }) => path)];
  const heads = new Set([...paths, ...(lines ? [lines.path] : []), ...tables.map(({ path }) => path)].map((path) => namesIn(path)[0]));
  const members = reader.members(reader.root);
  return members.length === 0 ? 0 : members.filter(({ name }) => heads.has(name)).length / members.length;
}

/** Labels and kinds by the titles and formats of a schema. */
export function describeBySchema(schema: Schema): Describe {
  return (pointer, table) => {
    const rows = table === undefined ? schema : schemaAt(schema, table)?.items;
    const found = rows && schemaAt(schema, pointer, rows);
    if (!found) return {};
    const label = typeof found.title === 'string' && found.title.trim() !== '' ? found.title.slice(0, LABEL_CHARS_MAX) : undefined;
    return { label, kind: kindBySchema(found) };
  };
}

function kindBySchema({ format, enum: options, pattern, title, description }: Schema): Kind | undefined {
  if (format === 'date' || format === 'date-time') return 'date';
  if (Array.isArray(options)) return 'choice';
  return pattern === '^[A-Z]{2}$' && /country/i.test(`${title} ${description}`) ? 'country' : undefined;
}

class Builder {
  readonly #reader: Reader;
  readonly #layout: Layout;
  readonly #describe: Describe;
  readonly #seen: Seen;
  readonly #rest: Rest;
  readonly #currency: string | undefined;

  constructor(reader: Reader, layout: Layout, describe: Describe) {
    this.#reader = reader;
    this.#layout = layout;
    this.#describe = describe;
    this.#seen = new Seen(reader.tree);
    this.#rest = new Rest(reader, this.#seen);
    this.#currency =
      layout.currency === undefined ? undefined : reader.text(reader.at(reader.root, namesIn(layout.currency)))?.slice(0, 12);
  }

  sheet(title: string): Sheet {
    const { number, currency, parties, facts, lines, tables, totals, terms, notes } = this.#layout;
    const amounts = totals.flatMap((item) => this.#entry(item));
    return {
      title,
      number: this.#entry({ path: number })[0],
      parties: parties.flatMap((path) => this.#party(path)),
      facts: [...facts, ...(currency === undefined ? [] : [{ path: currency }])].flatMap((item) => this.#entry(item)),
      lines: lines && this.#table(lines),
      tables: tables.flatMap((table) => this.#table(table) ?? []),
      totals: amounts,
      result: amounts.at(-1),
      terms: terms.flatMap((item) => this.#entry(item)),
      notes: notes.flatMap((path) => this.#entry({ path })),
      rest: this.#others(),
    };
  }

  /** What the layout does not name, in the document and beside it. */
  #others(): Part[] {
    const { root } = this.#reader;
    const parts = this.#rest.of(root, this.#currency, (name) => this.#describe(pointerOf([name])).label);
    if (root === 0) return parts;
    this.#seen.add(this.#reader.tree.parent(root) === 0 ? root : this.#reader.tree.parent(root));
    return [...parts, ...this.#rest.of(0)];
  }

  #entry({ path, format }: Item): Entry[] {
    const node = this.#reader.at(this.#reader.root, namesIn(path));
    if (node === undefined || this.#seen.has(node)) return [];
    if (!this.#reader.isScalar(node) && !this.#reader.isList(node)) return [];
    this.#seen.add(node);
    const { label, kind } = this.#describe(path);
    return [
      {
        node,
        label: label ?? labelOf(namesIn(path).at(-1) ?? ''),
        kind: format ?? kind,
        ...(format === 'money' && { unit: this.#currency }),
      },
    ];
  }

  #party(path: string) {
    const node = this.#reader.at(this.#reader.root, namesIn(path));
    if (node === undefined || this.#seen.has(node) || this.#reader.tree.kind(this.#reader.inner(node)) === 'array') return [];
    const label = this.#describe(path).label ?? labelOf(namesIn(path).at(-1) ?? '');
    const titleAt = (names: readonly string[]) => this.#titleInParty(path, names);
    return [this.#rest.party(node, label, titleAt)];
  }

  /** “Contact” for the name of the contact: the title of the object says more than that of its name. */
  #titleInParty(path: string, names: readonly string[]): string | undefined {
    const own = this.#describe(path + pointerOf(names)).label;
    const above = names.length > 1 ? this.#describe(path + pointerOf(names.slice(0, -1))).label : undefined;
    return above !== undefined && own === 'Name' ? above : own;
  }

  #table({ path, columns, details = [] }: Table): TablePart | undefined {
    const found = this.#reader.at(this.#reader.root, namesIn(path));
    if (found === undefined || this.#seen.has(found)) return undefined;
    const { tree } = this.#reader;
    // UBL may have one line as an object.
    const node = this.#reader.isUbl && tree.kind(found) === 'array' ? found : this.#reader.inner(found);
    const rows = tree.kind(node) === 'array' ? childrenOf(tree, node) : this.#reader.isUbl ? [node] : [];
    if (rows.length === 0 || rows.some((row) => tree.kind(row) !== 'object')) return undefined;
    this.#seen.add(found);
    const used = this.#namesIn(rows);
    const sample = rows.slice(0, ROWS_JUDGED);
    const isUsed = (names: readonly string[]) =>
      used.has(names[0] ?? '') && (names.length === 1 || sample.some((row) => this.#reader.at(row, names) !== undefined));
    const label = this.#describe(path).label ?? labelOf(namesIn(path).at(-1) ?? '');
    const toColumns = (items: readonly Item[]) =>
      withUnits(items.filter((item) => isUsed(namesIn(item.path))).map((item) => this.#column(item, path)));
    return {
      node: found,
      label,
      rows,
      columns: toColumns(columns.slice(0, COLUMNS_MAX)),
      details: toColumns(details.slice(0, COLUMNS_MAX)),
      currency: this.#currency,
    };
  }

  /** The names that any row has: a column that is empty in all rows is not drawn. */
  #namesIn(rows: readonly number[]): ReadonlySet<string> {
    const { tree } = this.#reader;
    const names = new Set<string>();
    for (const row of rows)
      for (let child = row + 1; child < tree.after(row); child = tree.after(child)) names.add(this.#reader.name(child));
    return names;
  }

  #column({ path, format }: Item, table: string): Column {
    const { label, kind } = this.#describe(path, table);
    const names = namesIn(path);
    return { names, label: label ?? labelOf(names.at(-1) ?? ''), kind: format ?? kind, isNumeric: format !== undefined };
  }
}

/** A unit that follows its quantity is shown with it: “200 pcs”. */
function withUnits(columns: readonly Column[]): Column[] {
  const isUnitOf = (column: Column | undefined, quantity: Column | undefined): boolean =>
    column?.names.length === 1 && column.names[0] === 'unit' && quantity?.kind === 'quantity';
  return columns.flatMap((column, at) => {
    if (isUnitOf(column, columns[at - 1])) return [];
    const next = columns[at + 1];
    return [next && isUnitOf(next, column) ? { ...column, unit: next.names } : column];
  });
}

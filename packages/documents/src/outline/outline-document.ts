import { JsonObject, type LosslessJson } from '@waybill/client';
import type { DocumentType, Item, Layout, Table } from '../document-type.ts';
import { LINES_CHECKED_MAX } from '../limits.ts';
import { parsedJson } from '../parsed-json.ts';
import type { Schema } from '../schema.ts';
import { Allowance, membersOf, textAt, ValueLister, valueAt } from './document-values.ts';
import { guessedLayout } from './guess-layout.ts';
import { Labels, namesIn } from './labels.ts';
import type { Fact, Outline, OutlineParty, OutlineRow, OutlineTable } from './outline.ts';
import { isScalar, rawText, type Scalar } from './shown-value.ts';

/** What an outline is made by: a type of the catalogue, or one of a business. */
export type OutlinedType = Pick<DocumentType, 'title' | 'schema' | 'layout'>;

/**
 * A document in the order of its layout, or of an honest guess where the type is not known: every value under its own name. Takes the JSON as
 * text, so that no number is rounded. Undefined: it is not JSON.
 */
export function outlineDocument(type: OutlinedType | undefined, json: string): Outline | undefined {
  const document = parsedJson(json);
  return document === undefined ? undefined : new Outliner(type, document).outline();
}

const ADDRESS_LINES: readonly (readonly string[])[] = [['street'], ['street_2'], ['postal_code', 'city'], ['region'], ['country']];

class Outliner {
  readonly #title: string | undefined;
  readonly #document: LosslessJson;
  readonly #layout: Layout;
  readonly #labels: Labels;
  readonly #allowance = new Allowance();
  readonly #values: ValueLister;
  /** Pointers to what has its place. */
  readonly #placed = new Set<string>();
  #isCut = false;

  constructor(type: OutlinedType | undefined, document: LosslessJson) {
    this.#title = type?.title;
    this.#document = document;
    this.#layout = type?.layout ?? guessedLayout(document);
    this.#labels = new Labels(type?.schema);
    this.#values = new ValueLister(this.#labels, this.#allowance);
  }

  outline(): Outline {
    const { number, currency, parties, facts, lines, tables, totals, terms, notes } = this.#layout;
    const inHead = { number: this.#place(number), currency: currency === undefined ? undefined : this.#place(currency) };
    const placed = {
      title: this.#title,
      ...inHead,
      parties: parties.flatMap((path) => this.#party(path)),
      facts: this.#facts(facts),
      lines: lines && this.#table(lines),
      tables: tables.flatMap((table) => this.#table(table) ?? []),
      totals: this.#facts(totals),
      terms: this.#facts(terms),
      notes: this.#facts(notes.map((path) => ({ path }))),
    };
    const more = this.#more();
    return { ...placed, more, isCut: this.#isCut || this.#allowance.isUsedUp };
  }

  #place(path: string): string | undefined {
    const text = textAt(this.#document, path);
    if (text !== undefined) this.#placed.add(path);
    return text;
  }

  #facts(items: readonly Item[]): Fact[] {
    return items.flatMap(({ path, format }) => {
      const value = valueAt(this.#document, path);
      if (!isScalar(value) || this.#placed.has(path)) return [];
      this.#placed.add(path);
      return [{ label: this.#labels.label(this.#labels.at(path), namesIn(path).at(-1) ?? ''), value, format }];
    });
  }

  #party(path: string): OutlineParty[] {
    const value = valueAt(this.#document, path);
    if (!(value instanceof JsonObject) || this.#placed.has(path)) return [];
    this.#placed.add(path);
    const schema = this.#labels.at(path);
    const shown = new Set(['name', 'handle']);
    const address = addressIn(value.get('address'));
    const facts: Fact[] = [];
    for (const [name, one] of membersOf(value)) {
      if (shown.has(name) && isScalar(one)) continue;
      const property = this.#labels.property(schema, name);
      if (name === 'address' && address.isWhole) continue;
      this.#values.list(one, [this.#labels.label(property, name)], property, facts);
    }
    const title = this.#labels.label(schema, namesIn(path).at(-1) ?? '');
    const lines = address.isWhole ? address.lines : [];
    return [{ title, name: textAt(value, '/name'), handle: textAt(value, '/handle'), address: lines, facts }];
  }

  #table({ path, columns, details = [] }: Table): OutlineTable | undefined {
    const value = valueAt(this.#document, path);
    if (!Array.isArray(value) || value.length === 0 || this.#placed.has(path)) return undefined;
    this.#placed.add(path);
    if (value.length > LINES_CHECKED_MAX) this.#isCut = true;
    const schema = this.#labels.at(path);
    const rowSchema = this.#labels.rows(schema);
    const shape = { columns, details, schema: rowSchema };
    const rows = value.slice(0, LINES_CHECKED_MAX).map((row) => this.#row(row, shape));
    const used = columns.map((_, i) => rows.some(({ cells }) => cells[i] !== undefined));
    return {
      title: this.#labels.label(schema, namesIn(path).at(-1) ?? 'Lines'),
      columns: columns
        .filter((_, i) => used[i])
        .map(({ path: at, format }) => ({ label: this.#labels.label(this.#labels.at(at, rowSchema), namesIn(at).at(-1) ?? ''), format })),
      rows: rows.map(({ cells, details: more }) => ({ cells: cells.filter((_, i) => used[i]), details: more })),
    };
  }

  #row(row: LosslessJson, shape: { columns: readonly Item[]; details: readonly Item[]; schema: Schema | undefined }): OutlineRow {
    const cells: (Scalar | undefined)[] = [];
    const details: Fact[] = [];
    const members = membersOf(row);
    const inCells = new Set<string>();
    for (const { path } of shape.columns) {
      const name = namesIn(path)[0] ?? '';
      const value = members.get(name);
      cells.push(isScalar(value) ? value : undefined);
      if (isScalar(value)) inCells.add(name);
    }
    const formats = new Map(shape.details.map(({ path, format }) => [namesIn(path)[0] ?? '', format]));
    for (const [name, value] of members) {
      if (inCells.has(name)) continue;
      const property = this.#labels.property(shape.schema, name);
      const label = this.#labels.label(property, name);
      if (isScalar(value) && this.#allowance.take()) details.push({ label, value, format: formats.get(name) });
      else if (!isScalar(value)) this.#values.list(value, [label], property, details);
    }
    if (!(row instanceof JsonObject)) this.#values.list(row, ['Value'], undefined, details);
    return { cells, details };
  }

  /** What has no place yet. A part of which the layout names a value is looked through. */
  #more(): Fact[] {
    const facts: Fact[] = [];
    const inside = new Set([...this.#placed].flatMap((path) => prefixesOf(path)));
    const list = (value: LosslessJson, path: string, names: readonly string[], schema: Schema | undefined) => {
      if (this.#placed.has(path)) return;
      if (!inside.has(path) || !(value instanceof JsonObject)) return this.#values.list(value, names, schema, facts);
      for (const [name, one] of membersOf(value)) {
        const property = this.#labels.property(schema, name);
        const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        list(one, at, [...names, this.#labels.label(property, name)], property);
      }
    };
    if (this.#document instanceof JsonObject) {
      inside.add('');
      list(this.#document, '', [], this.#labels.root);
    } else if (!this.#placed.has('')) this.#values.list(this.#document, ['Value'], undefined, facts);
    return facts;
  }
}

function prefixesOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** The lines of an address as it is written on an envelope. An address with other parts is not whole: its values are listed instead. */
function addressIn(address: LosslessJson | undefined): { lines: string[]; isWhole: boolean } {
  const members = membersOf(address);
  const known = new Set(ADDRESS_LINES.flat());
  const isWhole = [...members].every(([name, value]) => known.has(name) && (isScalar(value) || value === null));
  const textOf = (name: string) => {
    const value = members.get(name);
    return isScalar(value) ? rawText(value) : '';
  };
  const lines = ADDRESS_LINES.map((names) => names.map(textOf).filter(Boolean).join(' ')).filter(Boolean);
  return { lines, isWhole: isWhole && lines.length > 0 };
}

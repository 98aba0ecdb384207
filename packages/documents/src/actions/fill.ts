import { JsonObject, type LosslessJson } from '@waybill/client';
import { documentType } from '../catalogue.ts';
import { withTotals } from '../compute.ts';
import type { DocumentType } from '../document-type.ts';
import type { Schema } from '../schema.ts';
import { numberIn, type SourceDocument, type Values } from './source-document.ts';

/** What the source does not say. */
export interface Filling {
  /** YYYY-MM-DD */
  today: string;
  /** Without it, the new document has a number that is made from the one of the source, or none where laws want numbers without gaps. */
  number?: string | undefined;
  reason?: string | undefined;
  /** Places of the lines that it is about, from 0. Default: all. */
  lines?: readonly number[] | undefined;
  /** Who writes the new document, where the source does not name them. */
  writer?: { name: string; handle?: string | undefined } | undefined;
}

export type Fields = Readonly<Record<string, LosslessJson | undefined>>;

/** What the writer of the source says there to its reader, and what is different in each document. */
const NEVER_TAKEN: ReadonlySet<string> = new Set(['number', 'issue_date', 'note', 'reason', 'status', 'change', 'lines']);

/** A new document of a type: what it has in common with its source, and other fields, in the order of the schema. */
export class NewDocument {
  readonly #rules: DocumentType['rules'];
  readonly #schema: Schema;
  readonly #line: Schema;

  constructor(type: string) {
    const known = documentType(type);
    this.#rules = known?.rules ?? [];
    this.#schema = known?.schema ?? {};
    this.#line = this.#schema.properties?.['lines']?.items ?? {};
  }

  /** Fields win over what the source has. An undefined one takes the value away. */
  write(source: SourceDocument, fields: Fields, filling: Filling, role: 'buyer' | 'seller'): string {
    return writeIndented(this.#filled(source, fields, filling, role));
  }

  /** Totals that neither the source nor the fields have are computed. */
  writeWithTotals(source: SourceDocument, fields: Fields, filling: Filling, role: 'buyer' | 'seller'): string {
    return writeIndented(withTotals({ rules: this.#rules, schema: this.#schema }, this.#filled(source, fields, filling, role)));
  }

  #filled(source: SourceDocument, fields: Fields, { writer }: Filling, role: 'buyer' | 'seller'): JsonObject {
    const values = new Map([...taken(source.values, this.#schema), ...Object.entries(fields)]);
    if (writer) values.set(role, partyOf(writer, values.get(role)));
    return inOrder(values, this.#schema);
  }

  /** A line that has what both types know of a line. */
  line(values: Values, fields: Fields): JsonObject {
    return inOrder(new Map([...taken(values, this.#line), ...Object.entries(fields)]), this.#line);
  }
}

function taken(values: Values, { properties = {} }: Schema): [string, LosslessJson][] {
  return [...values].filter(([name]) => Object.hasOwn(properties, name) && !NEVER_TAKEN.has(name));
}

function inOrder(values: ReadonlyMap<string, LosslessJson | undefined>, { properties = {} }: Schema): JsonObject {
  const names = Object.keys(properties);
  return objectOf(names.map((name) => [name, values.get(name)]));
}

export function objectOf(members: readonly (readonly [string, LosslessJson | undefined])[]): JsonObject {
  return new JsonObject(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

/** What the source says of the writer stays. Somebody who ordered by handle alone has not said the name, which most types require. */
function partyOf({ name, handle }: NonNullable<Filling['writer']>, found: LosslessJson | undefined): LosslessJson {
  if (found === undefined)
    return objectOf([
      ['name', name],
      ['handle', handle],
    ]);
  const isNameless =
    found instanceof JsonObject && found.get('name') === undefined && handle !== undefined && found.get('handle') === handle;
  return isNameless ? new JsonObject([['name', name], ...found.members]) : found;
}

/** The lines that were chosen, with a number each: that of the source, or the first one that no line has. */
export function chosenLines({ lines }: SourceDocument, chosen: readonly number[] | undefined): { id: string; values: Values }[] {
  const places = chosen && new Set(chosen);
  const used = new Set(lines.flatMap(({ values }) => numberIn(values, 'id') ?? []));
  const free = freeNumbers(used);
  return lines
    .map(({ place, values }) => ({ place, id: numberIn(values, 'id') ?? free(), values }))
    .filter(({ place }) => places?.has(place) ?? true);
}

function freeNumbers(used: ReadonlySet<string>): () => string {
  let last = 0;
  return () => {
    do last++;
    while (used.has(String(last)));
    return String(last);
  };
}

/** JSON with two spaces for a level, as people edit it. Numbers stay as they are written. */
export function writeIndented(value: LosslessJson, indent = ''): string {
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((one) => `${inner}${writeIndented(one, inner)}`).join(',\n')}\n${indent}]`;
  }
  if (value instanceof JsonObject && value.members.length > 0) {
    const members = value.members.map(([name, one]) => `${inner}${JSON.stringify(name)}: ${writeIndented(one, inner)}`);
    return `{\n${members.join(',\n')}\n${indent}}`;
  }
  if (Array.isArray(value)) return '[]';
  if (value instanceof JsonObject) return '{}';
  return typeof value === 'object' && value !== null ? value.text : JSON.stringify(value);
}

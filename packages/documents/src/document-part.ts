import { JsonNumber, JsonObject, type LosslessJson } from '@waybill/client';
import { Decimal } from './decimal.ts';
import { LINES_CHECKED_MAX } from './limits.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** An object of a document, as rules read it. What is missing or of another type reads as undefined: the schema speaks of that. */
export class DocumentPart {
  /** A JSON Pointer. */
  readonly path: string;
  readonly #members: Map<string, LosslessJson>;
  readonly #lists = new Map<string, readonly DocumentPart[]>();

  /** Null and other values that are no objects read as an empty one. */
  constructor(value: LosslessJson, path = '') {
    this.path = path;
    // A map, so that an object with many members costs no search of all of them for each value. The last of repeated keys counts.
    this.#members = new Map(value instanceof JsonObject ? value.members : []);
  }

  at(name: string): string {
    return `${this.path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }

  has(name: string): boolean {
    return (this.#members.get(name) ?? null) !== null;
  }

  value(name: string): LosslessJson | undefined {
    return this.#members.get(name);
  }

  /** Replaces a value, for the rules that are asked after it. The rows of a list stay as they are. Undefined takes the value out. */
  put(name: string, value: string | JsonNumber | undefined): void {
    if (value === undefined) this.#members.delete(name);
    else this.#members.set(name, value);
  }

  text(name: string): string | undefined {
    const value = this.#members.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  /** A date of the calendar, which compares as text. */
  date(name: string): string | undefined {
    const value = this.text(name);
    return value !== undefined && DATE.test(value) ? value : undefined;
  }

  decimal(name: string): Decimal | undefined {
    const value = this.#members.get(name);
    if (value instanceof JsonNumber) return Decimal.parse(value.text);
    return typeof value === 'string' ? Decimal.parse(value) : undefined;
  }

  part(name: string): DocumentPart {
    return new DocumentPart(this.#members.get(name) ?? null, this.at(name));
  }

  /** The rows of a list, up to LINES_CHECKED_MAX of them. */
  parts(name: string): readonly DocumentPart[] {
    const known = this.#lists.get(name);
    if (known) return known;
    const value = this.#members.get(name);
    const rows = Array.isArray(value) ? value.slice(0, LINES_CHECKED_MAX) : [];
    const parts = rows.map((row, i) => new DocumentPart(row, `${this.at(name)}/${i}`));
    this.#lists.set(name, parts);
    return parts;
  }

  /** Whether a list has more rows than are checked, so that nobody knows its sum. */
  isCut(name: string): boolean {
    const value = this.#members.get(name);
    return Array.isArray(value) && value.length > LINES_CHECKED_MAX;
  }

  /** The names of JSON numbers with more digits than are checked. */
  *numbersTooLong(): Iterable<string> {
    for (const [name, value] of this.#members) if (value instanceof JsonNumber && !Decimal.parse(value.text)) yield name;
  }
}

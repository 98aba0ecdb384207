import { endOf } from './json-text.ts';

/** A number as it was written: `1.0`, `12345678901234567890`, `1e400`. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** The number as ECMAScript reads it, maybe rounded. */
  toNumber(): number {
    return Number(this.text);
  }

  /** The exact integer. Undefined: it is not written as an integer. */
  toBigInt(): bigint | undefined {
    return /^-?\d+$/.test(this.text) ? BigInt(this.text) : undefined;
  }

  toString(): string {
    return this.text;
  }
}

/** An object with its members in the order written, repeated keys included. */
export class JsonObject {
  readonly members: readonly (readonly [key: string, value: LosslessJson])[];
  constructor(members: readonly (readonly [key: string, value: LosslessJson])[]) {
    this.members = members;
  }

  /** The value of a key. The last of repeated ones counts, as in `JSON.parse`. */
  get(key: string): LosslessJson | undefined {
    return this.members.findLast(([name]) => name === key)?.[1];
  }

  getAll(key: string): LosslessJson[] {
    return this.members.flatMap(([name, value]) => (name === key ? [value] : []));
  }
}

/** JSON without any loss. */
export type LosslessJson = string | boolean | null | JsonNumber | JsonObject | LosslessJson[];

/** Deeper JSON is refused by the service. */
const LEVELS_MAX = 1_000;
/** A string token is only its quote, because JSON.parse checks the rest. */
const TOKEN = /[\t\n\r ]*(?:([[\]{},:])|(")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** Reads JSON without rounding a number or dropping a repeated key. Throws a SyntaxError where it is not JSON. */
export function parseLossless(text: string): LosslessJson {
  const reader = new Reader(text);
  const value = reader.value(1);
  reader.expectEnd();
  return value;
}

/** Writes what `parseLossless` has read, or numbers and objects of your own, without spaces. */
export function writeLossless(value: LosslessJson): string {
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof JsonObject)
    return `{${value.members.map(([key, one]) => `${JSON.stringify(key)}:${writeLossless(one)}`).join(',')}}`;
  return Array.isArray(value) ? `[${value.map(writeLossless).join(',')}]` : JSON.stringify(value);
}

class Reader {
  readonly #text: string;
  #at = 0;
  #token = '';
  #kind: 'mark' | 'string' | 'number' | 'word' = 'mark';

  constructor(text: string) {
    this.#text = text;
  }

  value(level: number): LosslessJson {
    this.#next();
    return this.#valueHere(level);
  }

  expectEnd(): void {
    if (!/^[\t\n\r ]*$/.test(this.#text.slice(this.#at))) throw this.#fault();
  }

  #valueHere(level: number): LosslessJson {
    if (this.#kind === 'string') return JSON.parse(this.#token);
    if (this.#kind === 'number') return new JsonNumber(this.#token);
    if (this.#kind === 'word') return this.#token === 'null' ? null : this.#token === 'true';
    if (level > LEVELS_MAX) throw new SyntaxError(`JSON is nested deeper than ${LEVELS_MAX} levels.`);
    if (this.#token === '[') return this.#array(level);
    if (this.#token === '{') return this.#object(level);
    throw this.#fault();
  }

  #array(level: number): LosslessJson[] {
    const elements: LosslessJson[] = [];
    this.#next();
    if (this.#isMark(']')) return elements;
    for (;;) {
      elements.push(this.#valueHere(level + 1));
      this.#next();
      if (this.#isMark(']')) return elements;
      if (!this.#isMark(',')) throw this.#fault();
      this.#next();
    }
  }

  #object(level: number): JsonObject {
    const members: [string, LosslessJson][] = [];
    this.#next();
    if (this.#isMark('}')) return new JsonObject(members);
    for (;;) {
      if (this.#kind !== 'string') throw this.#fault();
      const key: string = JSON.parse(this.#token);
      this.#next();
      if (!this.#isMark(':')) throw this.#fault();
      members.push([key, this.value(level + 1)]);
      this.#next();
      if (this.#isMark('}')) return new JsonObject(members);
      if (!this.#isMark(',')) throw this.#fault();
      this.#next();
    }
  }

  #isMark(mark: string): boolean {
    return this.#kind === 'mark' && this.#token === mark;
  }

  #next(): void {
    TOKEN.lastIndex = this.#at;
    const [found, mark, quote, number, word] = TOKEN.exec(this.#text) ?? [];
    if (found === undefined) throw this.#fault();
    const start = this.#at + found.length - 1;
    this.#at = quote === undefined ? start + 1 : endOf(this.#text, start);
    this.#kind = mark !== undefined ? 'mark' : quote !== undefined ? 'string' : number !== undefined ? 'number' : 'word';
    this.#token = quote === undefined ? (mark ?? number ?? word ?? '') : this.#text.slice(start, this.#at);
  }

  #fault(): SyntaxError {
    return new SyntaxError(`Not JSON at character ${this.#at + 1}.`);
  }
}

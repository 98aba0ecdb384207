import { canonicalJson } from '@waybill/client';
import { ProofError } from './errors.ts';

/** Years are from 0001: not every language has a year 0. */
const TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A JSON object whose members must all be read: an unread one is refused, so that nothing is hidden in it. */
export class StrictObject {
  readonly #members: Map<string, unknown>;
  readonly #what: string;

  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProofError(`${what} is not a JSON object.`);
    this.#members = new Map(Object.entries(value));
    this.#what = what;
  }

  text(name: string): string {
    const value = this.#take(name);
    if (typeof value !== 'string' || !value.isWellFormed()) throw new ProofError(`${this.#what} has no text "${name}".`);
    return value;
  }

  /** A time as the service writes it: `2026-11-17T09:00:00.123Z`. */
  time(name: string): string {
    const text = this.text(name);
    if (!isTime(text)) throw new ProofError(`${this.#what} has no time "${name}".`);
    return text;
  }

  textOrNull(name: string): string | null {
    return this.#members.get(name) === null ? this.null(name) : this.text(name);
  }

  optionalText(name: string): string | undefined {
    return this.#members.has(name) ? this.text(name) : undefined;
  }

  count(name: string): number {
    const value = this.#take(name);
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
      throw new ProofError(`${this.#what} has no number "${name}".`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#take(name);
    if (typeof value !== 'boolean') throw new ProofError(`${this.#what} has no "${name}" that is true or false.`);
    return value;
  }

  null(name: string): null {
    if (this.#take(name) !== null) throw new ProofError(`${this.#what} has no "${name}" that is null.`);
    return null;
  }

  object<T>(name: string, read: (object: StrictObject) => T): T {
    return readObject(this.#take(name), `"${name}" of ${this.#what}`, read);
  }

  optionalObject<T>(name: string, read: (object: StrictObject) => T): T | undefined {
    return this.#members.has(name) ? this.object(name, read) : undefined;
  }

  list<T>(name: string, most: number, read: (object: StrictObject) => T): T[] {
    const value = this.#take(name);
    if (!Array.isArray(value) || value.length > most) throw new ProofError(`${this.#what} has no list "${name}" of at most ${most}.`);
    return value.map((one) => readObject(one, `An element of "${name}" of ${this.#what}`, read));
  }

  textList(name: string, most: number): string[] {
    const value: unknown = this.#take(name);
    if (!Array.isArray(value) || value.length > most) throw new ProofError(`${this.#what} has no list "${name}" of at most ${most}.`);
    return value.map((one: unknown) => {
      if (typeof one !== 'string' || !one.isWellFormed()) throw new ProofError(`"${name}" of ${this.#what} has something else than texts.`);
      return one;
    });
  }

  /** A list that is left out when it is empty. */
  optionalList<T>(name: string, most: number, read: (object: StrictObject) => T): T[] {
    if (!this.#members.has(name)) return [];
    const list = this.list(name, most, read);
    if (list.length === 0) throw new ProofError(`${this.#what} has an empty list "${name}".`);
    return list;
  }

  texts(): Record<string, string> {
    return Object.fromEntries([...this.#members.keys()].map((name) => [name, this.text(name)]));
  }

  has(name: string): boolean {
    return this.#members.has(name);
  }

  end(): void {
    const [name] = this.#members.keys();
    if (name !== undefined) throw new ProofError(`${this.#what} has an unknown member "${name}".`);
  }

  #take(name: string): unknown {
    const value = this.#members.get(name);
    this.#members.delete(name);
    return value;
  }
}

/** Not the 30th of February either, which some parsers take for a day in March. */
function isTime(text: string): boolean {
  const time = new Date(text);
  return TIME.test(text) && !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** Reads an object in the one form of RFC 8785: no space, no other order, no repeated member. */
export function parseCanonical<T>(text: string, what: string, read: (object: StrictObject) => T): T {
  let value: unknown;
  let isCanonical = false;
  try {
    value = JSON.parse(text);
    isCanonical = canonicalJson(value) === text;
  } catch {
    // Not JSON, or nested too deeply.
  }
  if (!isCanonical) throw new ProofError(`${what} is not canonical JSON (RFC 8785).`);
  return readObject(value, what, read);
}

function readObject<T>(value: unknown, what: string, read: (object: StrictObject) => T): T {
  const object = new StrictObject(value, what);
  const result = read(object);
  object.end();
  return result;
}

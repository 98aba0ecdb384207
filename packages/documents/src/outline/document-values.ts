import { JsonObject, type LosslessJson } from '@waybill/client';
import { LABELLED_VALUES_MAX } from '../limits.ts';
import type { Schema } from '../schema.ts';
import { type Labels, namesIn } from './labels.ts';
import type { Fact } from './outline.ts';
import { isScalar, rawText } from './shown-value.ts';

/** The members of an object; of repeated keys, the last one counts. Anything else has none. */
export function membersOf(value: LosslessJson | undefined): ReadonlyMap<string, LosslessJson> {
  return new Map(value instanceof JsonObject ? value.members : []);
}

export function valueAt(value: LosslessJson, pointer: string): LosslessJson | undefined {
  let found: LosslessJson | undefined = value;
  for (const name of namesIn(pointer)) found = found instanceof JsonObject ? found.get(name) : undefined;
  return found;
}

export function textAt(value: LosslessJson, pointer: string): string | undefined {
  const found = valueAt(value, pointer);
  return isScalar(found) ? rawText(found) : undefined;
}

/** Names of the objects around a value that its label repeats. */
const NAMES_SHOWN = 3;

/** Counts the values that have a label, so that no document gets more of them than a reader can use. */
export class Allowance {
  #left = LABELLED_VALUES_MAX;
  isUsedUp = false;

  take(): boolean {
    if (this.#left > 0) this.#left--;
    else this.isUsedUp = true;
    return !this.isUsedUp;
  }
}

/** All values in a part of a document, each with the names that lead to it. */
export class ValueLister {
  readonly #labels: Labels;
  readonly #allowance: Allowance;

  constructor(labels: Labels, allowance: Allowance) {
    this.#labels = labels;
    this.#allowance = allowance;
  }

  list(value: LosslessJson | undefined, names: readonly string[], schema: Schema | undefined, into: Fact[]): void {
    if (value === undefined || value === null || this.#allowance.isUsedUp) return;
    if (isScalar(value)) {
      if (this.#allowance.take()) into.push({ label: names.slice(-NAMES_SHOWN).join(' › '), value });
    } else if (Array.isArray(value)) this.#listElements(value, names, schema, into);
    else {
      for (const [name, one] of membersOf(value)) {
        const property = this.#labels.property(schema, name);
        this.list(one, [...names.slice(-NAMES_SHOWN), this.#labels.label(property, name)], property, into);
      }
    }
  }

  #listElements(value: LosslessJson[], names: readonly string[], schema: Schema | undefined, into: Fact[]): void {
    const row = this.#labels.rows(schema);
    const [last = '', ...before] = names.toReversed();
    for (const [i, one] of value.entries()) {
      if (this.#allowance.isUsedUp) return;
      const label = value.length === 1 ? last : `${last} ${i + 1}`;
      this.list(one, [...before.toReversed(), label], row, into);
    }
  }
}

import { JsonNumber, JsonObject, type LosslessJson } from '@waybill/client';
import { parsedJson } from '../parsed-json.ts';

/** Values by their names, as they were written. */
export type Values = ReadonlyMap<string, LosslessJson>;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** What a schema allows for a number of a document. Longer texts are no numbers of documents. */
const NUMBER_MAX_CHARS = 200;

/** A document that somebody replies to. It can be anything that strangers send: what can't be read is missing. */
export class SourceDocument {
  readonly values: Values;
  /** The lines that are objects, each with its place in the list. */
  readonly lines: readonly { place: number; values: Values }[];

  constructor(json: string) {
    this.values = valuesOf(parsedJson(json));
    const lines = this.values.get('lines');
    this.lines = (Array.isArray(lines) ? lines : []).flatMap((line, place) =>
      line instanceof JsonObject ? [{ place, values: valuesOf(line) }] : [],
    );
  }

  get(name: string): LosslessJson | undefined {
    return this.values.get(name);
  }

  /** The number of a document. Some senders write it as a JSON number. */
  number(name: string): string | undefined {
    return numberIn(this.values, name);
  }

  date(name: string): string | undefined {
    return dateIn(this.values, name);
  }
}

export function numberIn(values: Values, name: string): string | undefined {
  const value = values.get(name);
  const text = value instanceof JsonNumber ? value.text : value;
  return typeof text === 'string' && text !== '' && text.length <= NUMBER_MAX_CHARS ? text : undefined;
}

export function dateIn(values: Values, name: string): string | undefined {
  const value = values.get(name);
  return typeof value === 'string' && DATE.test(value) ? value : undefined;
}

/** Null counts as missing. The last of repeated names counts. */
function valuesOf(value: LosslessJson | undefined): Values {
  const members = value instanceof JsonObject ? value.members : [];
  return new Map([...new Map(members)].filter(([, one]) => one !== null));
}

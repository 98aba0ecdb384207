import type { Properties, Schema, Source } from './schema.ts';

/* Short forms for the properties of schemas. Each one has a title, which is its label, and says what it means. */

const TEXT_MAX_CHARS = 200;
const LONG_TEXT_MAX_CHARS = 4_000;

export function text(title: string, meaning: string, source?: Source): Schema {
  return { title, description: described(meaning, source), type: 'string', minLength: 1, maxLength: TEXT_MAX_CHARS };
}

export function longText(title: string, meaning: string, source?: Source): Schema {
  return { title, description: described(meaning, source), type: 'string', maxLength: LONG_TEXT_MAX_CHARS };
}

export function date(title: string, meaning: string, source?: Source): Schema {
  return { title, description: described(meaning, source), type: 'string', format: 'date' };
}

export function choice(title: string, meaning: string, options: readonly string[], source?: Source): Schema {
  return { title, description: described(meaning, source), type: 'string', enum: options };
}

export function decimal(title: string, meaning: string, source?: Source): Schema {
  return partOf('decimal', title, meaning, source);
}

/** A property that is one of the shared parts. */
export function partOf(part: string, title: string, meaning: string, source?: Source): Schema {
  return { title, description: described(meaning, source), $ref: `#/$defs/${part}` };
}

export function object(title: string, meaning: string, required: readonly string[], properties: Properties, source?: Source): Schema {
  return { title, description: described(meaning, source), type: 'object', required, properties };
}

export function list(title: string, meaning: string, items: Schema, source?: Source): Schema {
  return { title, description: described(meaning, source), type: 'array', minItems: 1, items };
}

function described(meaning: string, { en, ubl }: Source = {}): string {
  return [meaning, en && `EN 16931: ${en}.`, ubl && `UBL: ${ubl}.`].filter(Boolean).join(' ');
}

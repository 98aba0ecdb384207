import { visibleText as visible } from '../../../server/src/contract/visible-text.ts';
import type { Validation } from '../api/schema.ts';

type Issue = Validation['errors'][number];

const NAME_MAX_CHARS = 60;
const VALUES_MAX_CHARS = 400;
const LIST_MAX_CHARS = 6_000;

/** `/lines/0/unit_price` as “lines 1, unit price”. The names are those of the sender's JSON. */
export function placeInWords(path: string): string {
  const words: string[] = [];
  for (const part of path.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~').replaceAll('_', ' ');
    const last = words.at(-1);
    if (/^\d+$/.test(name) && last !== undefined) words[words.length - 1] = `${last} ${Number(name) + 1}`;
    else words.push(visible(name.length > NAME_MAX_CHARS ? `${name.slice(0, NAME_MAX_CHARS)}…` : name).replaceAll('\n', ' '));
  }
  return words.length === 0 ? 'The document' : words.join(', ');
}

/** The values that the schema allows, as far as the reader may know them. */
export function valuesInWords({ allowed = [], allowed_count = 0, pattern }: Issue): string {
  if (pattern !== undefined) return `Pattern: ${visible(pattern)}`;
  if (allowed.length === 0) return '';
  const texts = allowed.map((value) => visible(typeof value === 'string' ? value : JSON.stringify(value)));
  const shown: string[] = [];
  let chars = 0;
  for (const text of texts) {
    chars += text.length;
    if (chars > VALUES_MAX_CHARS && shown.length > 0) break;
    shown.push(text.length > VALUES_MAX_CHARS ? `${text.slice(0, VALUES_MAX_CHARS)}…` : text);
  }
  const more = allowed_count - shown.length;
  return `Allowed: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A reply that lists what is wrong with a message. */
export function correctionOf(errors: readonly Issue[], about: string | null): string {
  const lines: string[] = [];
  let chars = 0;
  for (const error of errors) {
    const values = valuesInWords(error);
    const line = `- ${placeInWords(error.path)}: ${visible(error.message)}${values === '' ? '' : ` (${values})`}`;
    chars += line.length;
    if (chars > LIST_MAX_CHARS) break;
    lines.push(line);
  }
  const left = errors.length - lines.length;
  const rest = left > 0 ? [`- and ${left} more`] : [];
  const what = about === null ? 'Your message' : `Your message “${visible(about)}”`;
  return [`${what} needs correction:`, '', ...lines, ...rest, '', 'Please send it again.'].join('\n');
}

import { previewOf } from '../json/preview.ts';
import { childrenOf } from '../json/rows.ts';
import { amount, mediumTime, number, utcDayAndYear } from '../ui/format.ts';
import { countryName, money, percentage } from './amounts.ts';
import type { Reader } from './reader.ts';
import { labelOf, unitWord } from './words.ts';

export type Kind = 'money' | 'quantity' | 'percent' | 'date' | 'choice' | 'country';

/** A value of the document, and how to show it. */
export interface Entry {
  node: number;
  label: string;
  kind?: Kind | undefined;
  /** The currency of money, and the unit of a quantity. What stands beside the value itself goes before it. */
  unit?: string | undefined;
}

const DIGITS_MAX = 60;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const LISTED_MAX = 50;
const TEXT_CHARS_MAX = 20_000;

const cut = (text: string): string => (text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text);

export const isDecimal = (text: string): boolean => text.length <= DIGITS_MAX && DECIMAL.test(text);

/** The text of a value as people read it. No digit is lost: what is no plain decimal number is shown as it was sent. */
export function shownText(reader: Reader, { node, kind, unit }: Entry): string {
  const { tree } = reader;
  const value = reader.value(node);
  if (tree.isContainer(value.node)) return listText(reader, value.node);
  const text = tree.value(value.node);
  if (tree.kind(value.node) === 'word') return { true: 'Yes', false: 'No' }[text] ?? '–';
  // An empty unit: the currency is said elsewhere.
  return formatted(cut(text), kind, (unit === '' ? undefined : (value.unit ?? unit)) || undefined);
}

function formatted(text: string, kind: Kind | undefined, unit: string | undefined): string {
  if (kind === 'date') return dateText(text);
  if (kind === 'choice') return labelOf(text);
  if (kind === 'country') return countryName(text);
  if (!isDecimal(text)) return unit === undefined ? text : `${text} ${unitWord(unit)}`;
  if (kind === 'percent') return percentage(text);
  if (kind === 'money') return money(text, unit);
  if (kind === 'quantity' || unit !== undefined) return unit === undefined ? amount(text) : `${amount(text)} ${unitWord(unit)}`;
  return text;
}

/** Short lists of single values stand in one line. */
function listText(reader: Reader, node: number): string {
  const { tree } = reader;
  if (tree.kind(node) !== 'array') return previewOf(tree, node);
  const items = childrenOf(tree, node).slice(0, LISTED_MAX);
  if (items.some((item) => !reader.isScalar(item))) return previewOf(tree, node);
  const more = tree.children(node) - items.length;
  return `${items.map((item) => shownText(reader, { node: item, label: '' })).join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}`;
}

/** A day of the calendar in the language of the browser. A day that does not exist stays as it is. */
export function dateText(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  if (DAY.test(text)) return time.toISOString().startsWith(text) ? utcDayAndYear(time) : text;
  return TIME.test(text) ? mediumTime(time) : text;
}

export const isDate = (text: string): boolean => text.length < 40 && (DAY.test(text) || TIME.test(text));

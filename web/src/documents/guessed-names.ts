import { isAmount, isPartyNamed } from '../../../packages/documents/src/names/guessed-names.ts';
import { snake } from '../../../packages/documents/src/names/snake.ts';
import type { Reader } from './reader.ts';
import { isDate, type Kind } from './values.ts';

const CURRENCY = /^((document_)?currency(_code|_id)?|ccy)$/;
const QUANTITY = /(^|_)(quantity|qty|count|pieces|weight|volume)$/;
const PRICE = /(^|_)(price|amount|total|subtotal|net|gross|cost|discount|charge|fee|payable)$/;
const MEMBERS_READ_MAX = 500;

/** A guess from the name, which the value must bear out. */
export function kindOf(names: readonly string[], text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined;
  if (isDate(text)) return 'date';
  if (!isAmount(text)) return undefined;
  const name = snake(names.at(-1) ?? '');
  if (QUANTITY.test(name)) return 'quantity';
  return PRICE.test(name) ? 'money' : undefined;
}

export function isParty(reader: Reader, name: string, node: number): boolean {
  const object = reader.inner(node);
  if (reader.tree.kind(object) !== 'object' || reader.tree.children(object) > 60) return false;
  return isPartyNamed(name, () => reader.members(object).map((member) => member.name));
}

/** The currency that an object names for its amounts. None if it names two. */
export function currencyIn(reader: Reader, object: number): string | undefined {
  const members = reader.members(object).slice(0, MEMBERS_READ_MAX);
  const named = members.filter(({ name }) => CURRENCY.test(snake(name)));
  const [first, ...others] = named.map(({ node }) => reader.text(node) ?? '');
  return first !== undefined && /^[A-Z]{3}$/.test(first) && others.every((one) => one === first) ? first : undefined;
}

import { OTHER_MONEY, OWN_TOTALS } from '../json/fact-names.ts';
import { NO_MONEY, PARTY, SHIP_TO } from '../json/facts.ts';
import { snake } from '../json/snake.ts';
import type { Reader } from './reader.ts';
import { isDate, isDecimal, type Kind } from './values.ts';

const CURRENCY = /^((document_)?currency(_code|_id)?|ccy)$/;
const QUANTITY = /(^|_)(quantity|qty|count|pieces|weight|volume)$/;
const NOTE = /(^|_)(notes?|remarks?|comments?|description|instructions|message|text)$/;
const PRICE = /(^|_)(price|amount|total|subtotal|net|gross|cost|discount|charge|fee|payable)$/;
const NAME = /^(name|company|company_name|legal_name|registration_name|party_name)$/;
const OF_A_PARTY = /^(address|street|street_address|city|tax_id|vat|vat_id|vat_number|postal_address|contact|email|handle)$/;
const LONG_TEXT_CHARS = 90;
const MEMBERS_READ_MAX = 500;

const isAmount = (text: string): boolean => isDecimal(text) && text.length <= 24;

/** A guess from the name, which the value must bear out. */
export function kindOf(names: readonly string[], text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined;
  if (isDate(text)) return 'date';
  if (!isAmount(text)) return undefined;
  const name = snake(names.at(-1) ?? '');
  if (QUANTITY.test(name)) return 'quantity';
  return PRICE.test(name) ? 'money' : undefined;
}

/** An amount of the whole document, not of a line. */
export function isTotal(names: readonly string[], text: string | undefined): boolean {
  const full = names.map(snake).join('_');
  return text !== undefined && isAmount(text) && !NO_MONEY.test(full) && (rankOfTotal(names) >= 0 || OTHER_MONEY.test(full));
}

/** 0 is what is to be paid, 2 what is called a total and nothing else. -1: another amount. */
export function rankOfTotal(names: readonly string[]): number {
  const full = names.map(snake).join('_');
  return OWN_TOTALS.findIndex((pattern) => pattern.test(full));
}

export function isNote(name: string, text: string): boolean {
  return text.includes('\n') || text.length > LONG_TEXT_CHARS || (NOTE.test(snake(name)) && text.length > 24);
}

export function isParty(reader: Reader, name: string, node: number): boolean {
  const object = reader.inner(node);
  if (reader.tree.kind(object) !== 'object' || reader.tree.children(object) > 60) return false;
  const own = snake(name);
  if (PARTY.test(own) || SHIP_TO.test(own)) return true;
  const names = reader.members(object).map((member) => snake(member.name));
  return names.some((one) => NAME.test(one)) && names.some((one) => OF_A_PARTY.test(one));
}

/** The currency that an object names for its amounts. None if it names two. */
export function currencyIn(reader: Reader, object: number): string | undefined {
  const members = reader.members(object).slice(0, MEMBERS_READ_MAX);
  const named = members.filter(({ name }) => CURRENCY.test(snake(name)));
  const [first, ...others] = named.map(({ node }) => reader.text(node) ?? '');
  return first !== undefined && /^[A-Z]{3}$/.test(first) && others.every((one) => one === first) ? first : undefined;
}

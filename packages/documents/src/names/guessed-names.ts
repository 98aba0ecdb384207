import { OTHER_MONEY, OWN_TOTALS } from './fact-names.ts';
import { snake } from './snake.ts';

/* What names and values tell of JSON that has no layout: the page of a thread and the outline for paper and tables guess alike. */

export const NO_MONEY = /weight|volume|quantit|qty|count|piece|unit|hour|percent|rate|number|package|pallet|cents|minor/;
export const PARTY =
  /^(buyer|customer|client|bill_to|sold_to|seller|supplier|vendor|(accounting|buyer)_customer_party|(accounting|seller)_supplier_party)$/;
export const SHIP_TO = /^(ship_to|deliver_to|consignee|(shipping|delivery)_(address|location))$/;
const NAME = /^(name|company|company_name|legal_name|registration_name|party_name)$/;
const OF_A_PARTY = /^(address|street|street_address|city|tax_id|vat|vat_id|vat_number|postal_address|contact|email|handle)$/;
const NOTE = /(^|_)(notes?|remarks?|comments?|description|instructions|message|text)$/;
const LONG_TEXT_CHARS = 90;
const AMOUNT = /^-?\d+(\.\d+)?$/;
const AMOUNT_MAX_CHARS = 24;
const LIKE_MIN = 0.5;

export const isAmount = (text: string): boolean => text.length <= AMOUNT_MAX_CHARS && AMOUNT.test(text);

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

/** The amount that all others lead to. Undefined: none, or two that could be it. */
export function resultAmong<Total extends { rank: number }>(totals: readonly Total[]): Total | undefined {
  const best = Math.min(...totals.map(({ rank }) => (rank < 0 ? OWN_TOTALS.length : rank)));
  const [result, ...others] = totals.filter(({ rank }) => rank === best);
  return others.length === 0 ? result : undefined;
}

export function isNote(name: string, text: string): boolean {
  return text.includes('\n') || text.length > LONG_TEXT_CHARS || (NOTE.test(snake(name)) && text.length > 24);
}

/** An object is a party by its own name, or by the names in it. */
export function isPartyNamed(name: string, inside: () => readonly string[]): boolean {
  const own = snake(name);
  if (PARTY.test(own) || SHIP_TO.test(own)) return true;
  const names = inside().map(snake);
  return names.some((one) => NAME.test(one)) && names.some((one) => OF_A_PARTY.test(one));
}

/** Whether objects are a table: most of the rows have most of the columns. */
export function areAlike(rows: number, columns: number, cells: number): boolean {
  return rows > 0 && columns > 0 && cells >= columns * rows * LIKE_MIN;
}

import { DAY, NUMBER, NUMBER_OF, OTHER_MONEY, OWN_TOTALS, STATE } from '../../../packages/documents/src/names/fact-names.ts';
import { NO_MONEY, PARTY, SHIP_TO } from '../../../packages/documents/src/names/guessed-names.ts';
import { amount, mediumTime, utcDayAndYear } from '../ui/format.ts';
import { type Document, documentIn, type Member } from './members.ts';
import type { JsonTree } from './tree.ts';

/** A fact that people look for first in an order or invoice: its number, total, parties, dates or state. */
export interface JsonFact {
  node: number;
  label: string;
  value: string;
}

const FACTS_MAX = 9;
const NODES_MIN = 8;
const LABEL_CHARS_MAX = 60;
const VALUE_CHARS_MAX = 80;

interface Found {
  member: Member;
  names: string[];
  value: string;
  rank: number;
}

const RANK = {
  number: 0,
  total: 1,
  party: 2,
  due: 3,
  requested: 3.1,
  shipTo: 3.2,
  delivery: 3.3,
  otherNumber: 4,
  date: 5,
  money: 6,
  state: 7,
};
/** The maximum of facts of a rank, so that one kind does not hide the others. */
const OF_A_RANK_MAX: Partial<Record<number, number>> = { [RANK.number]: 2, [RANK.otherNumber]: 1, [RANK.date]: 2, [RANK.money]: 2 };

/** Each label has the names on the path to its value, so that no two values have the same name. */
export function factsOf(tree: JsonTree): JsonFact[] {
  if (tree.kind(0) !== 'object' || tree.size < NODES_MIN) return [];
  const document = documentIn(tree);
  const currencies = currenciesIn(document);
  const found = document.members.flatMap((member) => {
    const one =
      member.value === undefined
        ? partyIn(document, member)
        : (numberIn(document, member) ??
          dateIn(member) ??
          moneyIn(tree, member, currencies) ??
          partyIn(document, member) ??
          stateIn(member));
    return one ? [{ ...one, member }] : [];
  });
  return withLabels(found)
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ rank }, at, all) => at - all.findIndex((one) => one.rank === rank) < (OF_A_RANK_MAX[rank] ?? 3))
    .slice(0, FACTS_MAX)
    .map(({ member, label, value }) => ({ node: member.node, label, value: value.slice(0, VALUE_CHARS_MAX) }));
}

/** Facts with the same short label get their whole path, and can't be the total. A key that is given twice is no fact. */
function withLabels(found: Found[]): (Found & { label: string })[] {
  const isAlone = (label: string, labels: string[]) => labels.indexOf(label) === labels.lastIndexOf(label);
  const short = found.map(({ names }) => labelOf(names));
  const long = found.map(({ member }) => labelOf(member.path));
  return found
    .map((one, at) => ({ one, short: short[at] ?? '', long: long[at] ?? '' }))
    .flatMap(({ one, short: label, long: whole }) => {
      if (isAlone(label, short)) return [{ ...one, label }];
      return isAlone(whole, long) ? [{ ...one, label: whole, rank: Math.floor(one.rank) === RANK.total ? RANK.money : one.rank }] : [];
    })
    .filter(({ label }) => label.length <= LABEL_CHARS_MAX);
}

type Fact = Omit<Found, 'member'>;

function numberIn({ kind }: Document, { path, names, value = '' }: Member): Fact | undefined {
  const leaf = names.at(-1) ?? '';
  if (!/^(?=.*\d)[\w ./#:-]+$/.test(value)) return undefined;
  // In `{"invoice": {"id": …}}` the id is that of the invoice. An id beside the invoice is not.
  if (kind !== undefined && path[0] === kind && names.length === 1 && /^(number|no|nr|id|ref)$/.test(leaf))
    return { names: [kind, leaf], value, rank: RANK.number };
  if (!NUMBER.test(leaf) && !NUMBER_OF.test(names.slice(-2).join('_'))) return undefined;
  return { names, value, rank: names.length === 1 ? RANK.number : RANK.otherNumber };
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function dateIn({ names, value = '' }: Member): Fact | undefined {
  const full = names.join('_');
  if (!DATE.test(value) || !DAY.test(full)) return undefined;
  const rank = /(^|_)due(_|$)|deadline/.test(full)
    ? RANK.due
    : /request|required|need_by|deliver_by/.test(full)
      ? RANK.requested
      : /deliver|ship|eta|arriv/.test(full)
        ? RANK.delivery
        : RANK.date;
  return { names, value: dateText(value), rank };
}

const AMOUNT = /^-?\d{1,15}(\.\d{1,6})?$/;

function moneyIn(tree: JsonTree, member: Member, currencies: ReadonlyMap<number, string>): Fact | undefined {
  const { node, path, value = '', unit } = member;
  const currency = unit ?? [...tree.ancestors(node)].reverse().flatMap((above) => currencies.get(above) ?? [])[0];
  // In `{"total": {"value": …, "currency": …}}` the value is the total.
  const isValue = member.names.length > 1 && member.names.at(-1) === 'value' && currencies.has(member.owner);
  const names = isValue ? member.names.slice(0, -1) : member.names;
  const full = spoken(names).join('_');
  if (!AMOUNT.test(value) || NO_MONEY.test(path.join('_'))) return undefined;
  const own = OWN_TOTALS.findIndex((pattern) => pattern.test(full));
  if (own < 0 && !OTHER_MONEY.test(full)) return undefined;
  const text = amount(value);
  return { names, value: currency === undefined ? text : `${text} ${currency}`, rank: own < 0 ? RANK.money : RANK.total + own / 10 };
}

/** The currency that an object names for its amounts. None if it names two. */
function currenciesIn({ members }: Document): ReadonlyMap<number, string> {
  const named = members.filter(
    ({ names, value = '' }) => /^((document_)?currency(_code|_id)?|ccy)$/.test(names.at(-1) ?? '') && /^[A-Z]{3}$/.test(value),
  );
  const found = new Map<number, string>();
  for (const [owner, all] of Map.groupBy(named, ({ owner }) => owner)) {
    const [first] = all;
    if (first?.value !== undefined && all.every(({ value }) => value === first.value)) found.set(owner, first.value);
  }
  return found;
}

const NAME = /^(name|company|company_name|legal_name|registration_name|display_name)$/;
const STREET = /^(street|street_name|street_address|address|address_1|line_?1)$/;
const CITY = /^(city|city_name|town)$/;

function partyIn({ members }: Document, { names, value, node, path }: Member): Fact | undefined {
  const leaf = names.at(-1) ?? '';
  const isPlace = SHIP_TO.test(leaf);
  if (!isPlace && !PARTY.test(leaf)) return undefined;
  const inside = members.filter((one) => one.value !== undefined && one.path.length > path.length && isBelow(one, path));
  const first = (wanted: RegExp) => inside.find((one) => wanted.test(one.names.at(-1) ?? ''))?.value ?? '';
  const parts = value === undefined ? [first(NAME), ...(isPlace ? [first(STREET), first(CITY)] : [])] : [value];
  const text = parts.filter((part) => part.trim() !== '' && part !== 'null').join(', ');
  return text === '' || node === 0 ? undefined : { names, value: text, rank: isPlace ? RANK.shipTo : RANK.party };
}

const isBelow = ({ path }: Member, above: string[]): boolean => above.every((name, at) => path[at] === name);

function stateIn({ names, value = '' }: Member): Fact | undefined {
  if (names.length > 1 || !STATE.test(names[0] ?? '') || !/^[\w .-]+$/.test(value)) return undefined;
  return { names, value, rank: RANK.state };
}

/** Drops a name that the next one begins with: `tax`, `tax_amount` is the tax amount. */
const spoken = (names: string[]): string[] => names.filter((name, at) => !`${names[at + 1] ?? ''}_`.startsWith(`${name}_`));

function labelOf(names: string[]): string {
  const words = spoken(names)
    .join('_')
    .replaceAll('_', ' ')
    .replaceAll(/\b(id|vat|po)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function dateText(value: string): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return value;
  return value.length === 10 ? utcDayAndYear(time) : mediumTime(time);
}

import { snake } from '../../../packages/documents/src/names/snake.ts';
import { countryName } from './amounts.ts';
import type { Reader } from './reader.ts';
import type { Seen } from './seen.ts';
import type { PartyPart } from './sheet.ts';
import type { Entry } from './values.ts';
import { labelOf } from './words.ts';

const LEAVES_MAX = 60;
const LEVELS_MAX = 6;

interface Leaf {
  node: number;
  object: number;
  /** In snake case. */
  name: string;
  names: string[];
  text: string;
}

const NAME = /^(name|company|company_name|legal_name|registration_name|display_name|organi[sz]ation)$/;
const IN_ADDRESS: readonly [part: keyof Address, name: RegExp][] = [
  ['street', /^(street|street_name|street_address|address|address_1|address_line_?1|line_?1)$/],
  ['street2', /^(street_?2|additional_street_name|address_2|address_line_?2|line_?2)$/],
  ['postal', /^(postal_code|postal_zone|zip|zip_code|postcode|post_code)$/],
  ['city', /^(city|city_name|town)$/],
  ['region', /^(region|state|province|county|country_subentity)$/],
  ['country', /^(country|country_code|identification_code)$/],
];
/** Objects in a party whose names and addresses are not those of the party. */
const ANOTHER = /^(contact|bank|agent|.*_contact|.*_bank|financial_.*|payee_.*|delivery_?address)$/;

interface Address {
  street?: string;
  street2?: string;
  postal?: string;
  city?: string;
  region?: string;
  country?: string;
}

/** A party with the titles of its schema, if there is one: `titleAt` takes the names on the way from the party. */
export function partyOf(
  reader: Reader,
  node: number,
  label: string,
  seen: Seen,
  titleAt?: (names: readonly string[]) => string | undefined,
): PartyPart {
  const object = reader.inner(node);
  seen.add(node);
  const own = reader.text(object);
  if (own !== undefined) return { node, label, name: own, lines: [], entries: [], rest: [] };
  const leaves = leavesIn(reader, object);
  const isOwn = ({ names }: Leaf) => !names.slice(0, -1).some((name) => ANOTHER.test(snake(name)));
  const name = leaves.find((leaf) => isOwn(leaf) && NAME.test(leaf.name) && leaf.text.trim() !== '');
  const { lines, used } = addressIn(leaves.filter((leaf) => leaf !== name && isOwn(leaf)));
  const others = leaves.filter((leaf) => leaf !== name && !used.has(leaf));
  for (const leaf of leaves) seen.add(leaf.node);
  const entries = others.map(({ node, names }): Entry => ({ node, label: titleAt?.(names) ?? labelIn(names) }));
  return { node, label, name: name?.text, lines, entries, rest: [] };
}

/** “Contact name”, and for a party in a party only the last two names, which tell it from its neighbours. */
const labelIn = (names: readonly string[]): string =>
  labelOf(...names.slice(-2).filter((name, at, all) => at === all.length - 1 || !/^party/i.test(name)));

function leavesIn(reader: Reader, object: number): Leaf[] {
  const leaves: Leaf[] = [];
  const read = (node: number, above: string[]) => {
    for (const { name, node: child } of reader.members(node)) {
      if (leaves.length >= LEAVES_MAX) return;
      const names = [...above, name];
      const text = reader.text(child);
      if (text !== undefined) leaves.push({ node: child, object: node, name: snake(name), names, text });
      else if (reader.tree.kind(reader.inner(child)) === 'object' && names.length < LEVELS_MAX) read(reader.inner(child), names);
    }
  };
  read(object, []);
  return leaves;
}

/** Of two addresses, the first one is on the letter, and the other one has its own labels. */
function addressIn(leaves: readonly Leaf[]): { lines: string[]; used: ReadonlySet<Leaf> } {
  const isPart = (leaf: Leaf) => IN_ADDRESS.some(([, name]) => name.test(leaf.name));
  const place = leaves.find(isPart);
  const address: Address = {};
  const used = new Set<Leaf>();
  if (place === undefined) return { lines: [], used };
  const above = place.names.slice(0, -1);
  const near = leaves.filter((leaf) => above.every((name, at) => leaf.names[at] === name));
  for (const [part, pattern] of IN_ADDRESS) {
    const leaf = near.find((one) => pattern.test(one.name) && (part !== 'country' || isCountry(one)));
    if (!leaf) continue;
    address[part] = leaf.text.trim();
    used.add(leaf);
  }
  return { lines: letterLines(address), used };
}

/** In UBL the code of a country has a name that other codes have, too. */
const isCountry = ({ name, names }: Leaf): boolean => name !== 'identification_code' || /country/i.test(names.at(-2) ?? '');

const CITY_FIRST = /^(US|CA|AU|GB|IE|NZ|IN|ZA)$/;

function letterLines({ street, street2, postal, city, region, country = '' }: Address): string[] {
  const place = CITY_FIRST.test(country)
    ? [[city, region].filter(Boolean).join(', '), postal].filter(Boolean).join(' ')
    : [[postal, city].filter(Boolean).join(' '), region].filter(Boolean).join(', ');
  return [street, street2, place, countryName(country)].filter((line): line is string => line !== undefined && line !== '');
}

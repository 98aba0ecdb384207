import { childrenOf } from './rows.ts';
import type { JsonTree } from './tree.ts';

/** What people look for first in an order or invoice: its number, its dates, its totals, its state. */
export interface JsonFact {
  node: number;
  label: string;
  value: string;
}

const FACTS_MAX = 6;
const MEMBERS_READ_MAX = 200;
const VALUE_CHARS_MAX = 60;
/** Shorter documents are as easy to read themselves. */
const NODES_MIN = 8;

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const AMOUNT = /^-?\d{1,15}(\.\d{1,6})?$/;

/** By the names that such values commonly have, in the order in which they are shown. */
const KINDS: [names: RegExp, isValue: RegExp, toText: (value: string) => string][] = [
  [
    /^((purchase_)?order|po|invoice|quote|offer|shipment|delivery|contract|document|tracking|reference|ticket)(_(number|no|nr|id|ref))?$|^(number|ref)$/,
    /^[\w ./#:-]+$/,
    (value) => value,
  ],
  [/(^|_)(date|deadline|eta|due)$|_(on|at|by|until|from)$|^due_/, DATE, dateText],
  [
    /^((grand|net|gross|sub)_?)?total(_(amount|net|gross|price|due))?$|^amount(_(due|net|gross|total))?$|^(tax|vat|balance|price|sum)(_(total|amount))?$/,
    AMOUNT,
    amountText,
  ],
  [/^(status|state|priority)$/, /^[\w .-]+$/, (value) => value],
];

/** Of the outermost object, and of the objects in it. */
export function factsOf(tree: JsonTree): JsonFact[] {
  if (tree.kind(0) !== 'object' || tree.size < NODES_MIN) return [];
  const members = membersOf(tree);
  const currency = members.find(({ name, value }) => /^currency(_code)?$/.test(name) && /^[A-Z]{3}$/.test(value))?.value;
  const found = KINDS.flatMap(([names, isValue, toText], kind) =>
    members
      .filter(({ name, value }) => names.test(name) && isValue.test(value))
      .map(({ node, name, value }) => {
        const text = toText(value);
        return { node, label: labelOf(name), value: kind === 2 && currency !== undefined ? `${text} ${currency}` : text };
      }),
  );
  return found.slice(0, FACTS_MAX);
}

function membersOf(tree: JsonTree): { node: number; name: string; value: string }[] {
  const nodes: number[] = [];
  for (const child of childrenOf(tree, 0).slice(0, MEMBERS_READ_MAX)) {
    nodes.push(child);
    if (tree.kind(child) === 'object') nodes.push(...childrenOf(tree, child).slice(0, MEMBERS_READ_MAX));
  }
  return nodes
    .filter((node) => !tree.isContainer(node) && tree.length(node) <= VALUE_CHARS_MAX)
    .map((node) => ({ node, name: snake(tree.key(node) ?? ''), value: tree.value(node) }));
}

/** `orderNumber` and `Order-Number` are `order_number`. */
function snake(key: string): string {
  return key
    .slice(0, 64)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase();
}

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

function dateText(value: string): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return value;
  return value.length === 10 ? DAY.format(time) : MOMENT.format(time);
}

/** Separators in the digits as they were sent: nothing is rounded. */
function amountText(value: string): string {
  const [whole = '', decimals] = value.split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? separated : `${separated}.${decimals}`;
}

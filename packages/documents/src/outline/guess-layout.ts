import { JsonObject, type LosslessJson } from '@waybill/client';
import type { Item, Layout, Table } from '../document-type.ts';
import { LINES_CHECKED_MAX } from '../limits.ts';
import { DOCUMENT, GROUP, isLines, namesFact, withoutGroups } from '../names/fact-names.ts';
import { areAlike, isAmount, isNote, isPartyNamed, isTotal, rankOfTotal, resultAmong } from '../names/guessed-names.ts';
import { snake } from '../names/snake.ts';
import { membersOf } from './document-values.ts';
import { isScalar, rawText, type Scalar } from './shown-value.ts';

const COLUMNS_MAX = 10;
const TABLES_MAX = 50;
const PARTY_MEMBERS_MAX = 60;
const WHOLE = new RegExp(`^(${DOCUMENT})$`);

const pointerTo = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The layout of a document whose type is not known. It only sorts: no value gets another name or another format. */
export function guessedLayout(document: LosslessJson): Layout {
  const guess = new Guess();
  if (Array.isArray(document)) guess.table('', 'items', document);
  const whole = wholeIn(document);
  guess.read(document, '', undefined, whole?.name);
  if (whole) guess.read(whole.value, pointerTo(whole.name));
  return guess.layout();
}

/** `{"order": {…}}` is an order, unless values beside it say that it is a part of a document. */
function wholeIn(document: LosslessJson): { name: string; value: LosslessJson } | undefined {
  const members = [...membersOf(document)];
  const [first, ...others] = members.filter(([, value]) => value instanceof JsonObject || Array.isArray(value));
  if (!first || others.length > 0 || !(first[1] instanceof JsonObject) || !WHOLE.test(snake(first[0]))) return undefined;
  const [name, value] = first;
  return members.some(([other]) => other !== name && namesFact(snake(other))) ? undefined : { name, value };
}

class Guess {
  readonly #parties: string[] = [];
  readonly #facts: Item[] = [];
  readonly #totals: (Item & { rank: number })[] = [];
  readonly #notes: string[] = [];
  readonly #tables: (Table & { name: string })[] = [];

  read(object: LosslessJson, above: string, group?: string, except?: string): void {
    for (const [name, value] of membersOf(object)) {
      const path = `${above}${pointerTo(name)}`;
      if (name === except) continue;
      if (isScalar(value)) this.#value(path, name, value, group);
      else if (Array.isArray(value)) this.table(path, name, value);
      else if (isParty(name, value)) this.#parties.push(path);
      else if (group === undefined && GROUP.test(snake(name))) this.read(value, path, name);
    }
  }

  /** A group is left out where its values are clear without it. All others are shown below the names of both. */
  #value(path: string, name: string, value: Scalar, group: string | undefined): void {
    const names = withoutGroups(group === undefined ? [snake(name)] : [snake(group), snake(name)]);
    if (names.length > 1 || path === '/number') return;
    const text = rawText(value);
    const isInTotals = group !== undefined && snake(group) !== 'header' && isAmount(text);
    if (isInTotals || isTotal(names, text)) this.#totals.push({ path, rank: rankOfTotal(names) });
    else if (isNote(name, text) || path === '/note') this.#notes.push(path);
    else this.#facts.push({ path });
  }

  /** A table for an array of like objects. Columns are the names that most rows have; other values follow below their row. */
  table(path: string, name: string, value: readonly LosslessJson[]): void {
    const rows = value.slice(0, LINES_CHECKED_MAX);
    const objects = rows.filter((row) => row instanceof JsonObject);
    const counts = new Map<string, number>();
    let cells = 0;
    const names = new Set<string>();
    for (const row of objects)
      for (const [column, one] of membersOf(row)) {
        cells++;
        names.add(column);
        if (isScalar(one)) counts.set(column, (counts.get(column) ?? 0) + 1);
      }
    const isTable = isLines(name) ? objects.length > 0 : objects.length === rows.length && areAlike(rows.length, names.size, cells);
    if (!isTable || this.#tables.length === TABLES_MAX) return;
    const frequent = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, COLUMNS_MAX);
    const shown = new Set(frequent.map(([column]) => column));
    const columns = [...counts.keys()].filter((column) => shown.has(column)).map((column) => ({ path: pointerTo(column) }));
    this.#tables.push({ name, path, columns });
  }

  layout(): Layout {
    const lines = this.#tables.find(({ name }) => isLines(name)) ?? this.#tables[0];
    const result = resultAmong(this.#totals);
    const totals = [...this.#totals.filter((one) => one !== result), ...(result ? [result] : [])];
    const plain = ({ path, columns }: Table): Table => ({ path, columns });
    return {
      number: '/number',
      parties: this.#parties,
      facts: this.#facts,
      ...(lines && { lines: plain(lines) }),
      tables: this.#tables.filter((table) => table !== lines).map(plain),
      totals: totals.map(({ path }) => ({ path })),
      terms: [],
      notes: this.#notes,
    };
  }
}

function isParty(name: string, value: LosslessJson): boolean {
  const members = membersOf(value);
  return members.size <= PARTY_MEMBERS_MAX && isPartyNamed(name, () => [...members.keys()]);
}

import { GROUP, isLines, withoutGroups } from '../../../packages/documents/src/names/fact-names.ts';
import { isNote, isTotal, rankOfTotal, resultAmong } from '../../../packages/documents/src/names/guessed-names.ts';
import { snake } from '../../../packages/documents/src/names/snake.ts';
import { wholeOf } from '../json/members.ts';
import { currencyIn, isParty, kindOf } from './guessed-names.ts';
import type { Named, Reader } from './reader.ts';
import { Rest } from './rest.ts';
import { Seen } from './seen.ts';
import type { Sheet, TablePart } from './sheet.ts';
import { guessedTable } from './table-guess.ts';
import { type Entry, isDecimal } from './values.ts';
import { labelOf } from './words.ts';

const MEMBERS_READ_MAX = 300;
const FACTS_MAX = 40;

/** `summary`, but not `header`. */
const isTotals = (name: string): boolean => GROUP.test(snake(name)) && snake(name) !== 'header';

interface Total {
  entry: Entry;
  rank: number;
}

/** A sheet of JSON that has no layout. Names and values tell what stands where; each label consists of the names on the way to its value. */
export function guessedSheet(reader: Reader, title: string): Sheet {
  const { tree } = reader;
  const whole = wholeOf(tree);
  const seen = new Seen(tree);
  const rest = new Rest(reader, seen);
  const sheet: Sheet = {
    title,
    number: undefined,
    parties: [],
    facts: [],
    lines: undefined,
    tables: [],
    totals: [],
    result: undefined,
    terms: [],
    notes: [],
    rest: [],
  };
  if (tree.kind(0) !== 'object') return { ...sheet, rest: rest.all(0, tree.kind(0) === 'array' ? 'Items' : 'Value') };
  const root = whole?.node ?? 0;
  const guess = new Guess(reader, seen, rest, sheet, currencyIn(reader, root) ?? currencyIn(reader, 0));
  if (root !== 0) guess.read(0, [], root);
  guess.read(root, []);
  guess.end();
  sheet.rest = rest.of(0);
  // The object around the whole document is no group of its own.
  if (sheet.rest.length === 1 && sheet.rest[0]?.kind === 'group' && sheet.rest[0].node === whole?.key) sheet.rest = sheet.rest[0].parts;
  return sheet;
}

class Guess {
  readonly #reader: Reader;
  readonly #seen: Seen;
  readonly #rest: Rest;
  readonly #sheet: Sheet;
  readonly #currency: string | undefined;
  readonly #totals: Total[] = [];
  readonly #tables: { name: string; table: TablePart }[] = [];

  constructor(reader: Reader, seen: Seen, rest: Rest, sheet: Sheet, currency: string | undefined) {
    this.#reader = reader;
    this.#seen = seen;
    this.#rest = rest;
    this.#sheet = sheet;
    this.#currency = currency;
  }

  read(object: number, above: string[], except?: number): void {
    for (const member of this.#reader.members(object).slice(0, MEMBERS_READ_MAX)) {
      const inner = this.#reader.inner(member.node);
      if (inner === except || this.#seen.has(member.node)) continue;
      if (this.#reader.isScalar(member.node)) this.#value(member, above);
      else if (this.#reader.tree.kind(inner) === 'object') this.#object(member, inner, above);
      else this.#list(member, above);
    }
  }

  /** Lines come before other tables, and the amount to pay after all others. */
  end(): void {
    const lines =
      this.#tables.find(({ name }) => isLines(name)) ??
      this.#tables.find(({ table }) => table.columns.some(({ kind }) => kind === 'money'));
    this.#sheet.lines = lines?.table;
    this.#sheet.tables = this.#tables.filter((one) => one !== lines).map(({ table }) => table);
    const result = resultAmong(this.#totals)?.entry;
    const others = this.#totals.map(({ entry }) => entry).filter((entry) => entry !== result);
    this.#sheet.totals = result ? [...others, result] : others;
    this.#sheet.result = result;
  }

  #value({ name, node }: Named, above: string[]): void {
    const names = [...above, name];
    const text = this.#reader.text(node) ?? '';
    const said = withoutGroups(names.map(snake));
    const label = labelOf(...said);
    const isInTotals = above.length > 0 && isTotals(above[0] ?? '') && isDecimal(text);
    if (isInTotals || isTotal(said, text))
      this.#totals.push({ entry: { node, label, kind: 'money', unit: this.#currency }, rank: rankOfTotal(said) });
    else if (isNote(name, text)) this.#sheet.notes.push({ node, label });
    else if (this.#sheet.facts.length < FACTS_MAX) this.#sheet.facts.push({ node, label, kind: kindOf(names, text) });
    else return;
    this.#seen.add(node);
  }

  #object(member: Named, inner: number, above: string[]): void {
    const { name, node } = member;
    const members = this.#reader.members(inner);
    const isFlat = members.length > 0 && members.every((one) => this.#reader.isScalar(one.node));
    if (isParty(this.#reader, name, node)) this.#sheet.parties.push(this.#rest.party(node, labelOf(...above, name)));
    else if (GROUP.test(snake(name)) && above.length === 0) this.read(inner, [name]);
    else if (isFlat && members.length <= 2 && above.length === 0) this.read(inner, [name]);
  }

  #list({ name, node }: Named, above: string[]): void {
    const table = guessedTable(this.#reader, this.#reader.inner(node), labelOf(...above, name), this.#currency);
    if (!table) return;
    this.#tables.push({ name, table });
    this.#seen.add(node);
  }
}

import { childrenOf } from '../json/rows.ts';
import { currencyIn, isParty, kindOf } from './guessed-names.ts';
import { partyOf } from './party.ts';
import type { Named, Reader } from './reader.ts';
import { Seen } from './seen.ts';
import type { Part, PartyPart } from './sheet.ts';
import { guessedTable } from './table-guess.ts';
import type { Entry } from './values.ts';
import { labelOf } from './words.ts';

const MEMBERS_MAX = 200;
const ITEMS_MAX = 50;
const LEVELS_MAX = 6;
/** Pieces of one document: more are in the JSON, where only rows in sight are drawn. */
const PARTS_MAX = 1_500;

/** What is left to show of a document: what the layout does not name, or all of JSON that has no layout. */
export class Rest {
  readonly #reader: Reader;
  readonly #seen: Seen;
  #left = PARTS_MAX;

  constructor(reader: Reader, seen = new Seen(reader.tree)) {
    this.#reader = reader;
    this.#seen = seen;
  }

  /** The members that are not shown yet. Single values that follow each other are one piece. */
  of(object: number, currency?: string, titleAt?: (name: string) => string | undefined, level = 0): Part[] {
    const members = this.#reader.members(object).filter(({ node }) => !this.#seen.has(node));
    const parts: Part[] = [];
    const own = currencyIn(this.#reader, object) ?? currency;
    for (const member of members.slice(0, MEMBERS_MAX))
      this.#add(parts, member, titleAt?.(member.name) ?? labelOf(member.name), own, level);
    if (members.length > MEMBERS_MAX) parts.push({ kind: 'more', count: members.length - MEMBERS_MAX });
    return parts;
  }

  /** One value and all that is in it. */
  all(node: number, label: string): Part[] {
    const parts: Part[] = [];
    this.#add(parts, { name: '', node }, label, undefined, 0);
    return parts;
  }

  party(node: number, label: string, titleAt?: (names: readonly string[]) => string | undefined): PartyPart {
    const party = partyOf(this.#reader, node, label, this.#seen, titleAt);
    return { ...party, rest: this.of(this.#reader.inner(node)) };
  }

  #add(parts: Part[], { name, node }: Named, label: string, currency: string | undefined, level: number): void {
    const { tree } = this.#reader;
    const inner = this.#reader.inner(node);
    if (this.#left-- <= 0) {
      more(parts);
      return;
    }
    if (this.#reader.isScalar(node) || tree.children(inner) === 0 || level >= LEVELS_MAX || this.#reader.isList(inner)) {
      const text = this.#reader.text(node);
      const kind = kindOf([name], text);
      entry(parts, { node, label, kind, ...(kind === 'money' && { unit: currency }) });
      return;
    }
    if (tree.kind(inner) === 'array') {
      this.#addList(parts, inner, label, currency, level);
      return;
    }
    if (isParty(this.#reader, name, node) && !this.#seen.hasInside(inner)) {
      parts.push({ kind: 'party', party: this.party(node, label) });
      return;
    }
    const inside = this.of(inner, currency, undefined, level + 1);
    if (inside.length > 0) parts.push({ kind: 'group', node, label, parts: inside });
  }

  #addList(parts: Part[], node: number, label: string, currency: string | undefined, level: number): void {
    const table = guessedTable(this.#reader, node, label, currency);
    if (table) {
      parts.push({ kind: 'table', table });
      return;
    }
    const items = childrenOf(this.#reader.tree, node);
    const inside: Part[] = [];
    for (const [at, item] of items.slice(0, ITEMS_MAX).entries())
      this.#add(inside, { name: '', node: item }, String(at + 1), currency, level + 1);
    if (items.length > ITEMS_MAX) inside.push({ kind: 'more', count: items.length - ITEMS_MAX });
    parts.push({ kind: 'group', node, label, parts: inside });
  }
}

function entry(parts: Part[], one: Entry): void {
  const last = parts.at(-1);
  if (last?.kind === 'entries') last.entries.push(one);
  else parts.push({ kind: 'entries', entries: [one] });
}

function more(parts: Part[]): void {
  const last = parts.at(-1);
  if (last?.kind === 'more') last.count++;
  else parts.push({ kind: 'more', count: 1 });
}

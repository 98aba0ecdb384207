import { JsonObject, type LosslessJson } from '@waybill/client';
import type { Layout, Table } from '../document-type.ts';
import { LINES_CHECKED_MAX } from '../limits.ts';
import { membersOf } from './document-values.ts';
import { isScalar } from './shown-value.ts';

const COLUMNS_MAX = 10;
const TABLES_MAX = 50;
const LINES = new Set(['lines', 'items', 'positions', 'rows', 'line_items', 'lineitems', 'articles']);
const PLACES = ['address', 'street', 'city', 'postal_code', 'country', 'tax_id', 'handle'];

const pointerTo = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The layout of a document whose type is not known. It only sorts: no value gets another name or another format. */
export function guessedLayout(document: LosslessJson): Layout {
  const none = { number: '/number', parties: [], facts: [], tables: [], totals: [], terms: [], notes: ['/note'] };
  if (Array.isArray(document)) return { ...none, tables: tableOf('', document) };
  const members = [...membersOf(document)];
  const tables = members.flatMap(([name, value]) => tableOf(pointerTo(name), value)).slice(0, TABLES_MAX);
  const lines = tables.find(({ path }) => LINES.has(path.slice(1).toLowerCase())) ?? tables[0];
  return {
    ...none,
    parties: members.filter(([, value]) => isParty(value)).map(([name]) => pointerTo(name)),
    facts: members
      .filter(([name, value]) => isScalar(value) && name !== 'number' && name !== 'note')
      .map(([name]) => ({ path: pointerTo(name) })),
    ...(lines && { lines }),
    tables: tables.filter((table) => table !== lines),
  };
}

function isParty(value: LosslessJson): boolean {
  const members = membersOf(value);
  return typeof members.get('name') === 'string' && PLACES.some((name) => members.has(name));
}

/** A table for an array of objects. Columns are the names that most rows have; other values follow below their row. */
function tableOf(path: string, value: LosslessJson): Table[] {
  if (!Array.isArray(value) || !value.some((row) => row instanceof JsonObject)) return [];
  const counts = new Map<string, number>();
  for (const row of value.slice(0, LINES_CHECKED_MAX))
    for (const [name, one] of membersOf(row)) if (isScalar(one)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const frequent = new Set(
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, COLUMNS_MAX)
      .map(([name]) => name),
  );
  const columns = [...counts.keys()].filter((name) => frequent.has(name)).map((name) => ({ path: pointerTo(name) }));
  return [{ path, columns }];
}

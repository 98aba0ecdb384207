import type { Layout } from '@waybill/documents';
import { type Static, Type } from 'typebox';
import { LAYOUT_LIST_MAX, LAYOUT_POINTER_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';

/** At least one step: a layout shows values of a document, never the whole of it. */
const POINTER = '^(/([^~/]|~[01])*)+$';
const DEFAULT_NUMBER = '/number';

const pointer = Type.String({
  pattern: POINTER,
  maxLength: LAYOUT_POINTER_MAX_CHARS,
  description: 'JSON Pointer into the document; in a table, into a row.',
});
const item = Type.Object(
  {
    path: pointer,
    format: Type.Optional(Type.Enum(['money', 'quantity', 'percent'], { description: 'How a number is shown. Money is in the currency.' })),
  },
  closed,
);
const items = (description: string) => Type.Array(item, { maxItems: LAYOUT_LIST_MAX, description });
const table = Type.Object(
  {
    path: pointer,
    columns: Type.Array(item, { maxItems: LAYOUT_LIST_MAX }),
    details: Type.Optional(items('What stands below a row.')),
  },
  { description: 'An array of objects, a row each.', ...closed },
);

const fields = {
  number: pointer,
  currency: Type.Optional(pointer),
  parties: Type.Array(pointer, { maxItems: LAYOUT_LIST_MAX, description: 'Objects with a name and an address.' }),
  facts: items('Dates, references and other facts of the head.'),
  lines: Type.Optional(table),
  tables: Type.Array(table, { maxItems: LAYOUT_LIST_MAX, description: 'Smaller tables, which follow the lines.' }),
  totals: items('Amounts in the order of the addition. The last one is the result.'),
  terms: items('Terms of payment and delivery.'),
  notes: Type.Array(pointer, { maxItems: LAYOUT_LIST_MAX }),
};

export const LayoutSchema = Type.Object(fields, {
  $id: 'DocumentLayout',
  description: 'What a view or a form shows where. The `title` of a property in the schema is its label.',
  ...closed,
});

const { number, currency, parties, facts, lines, tables, totals, terms, notes } = fields;

export const GivenLayoutSchema = Type.Object(
  {
    number: Type.Optional(number),
    currency,
    parties: Type.Optional(parties),
    facts: Type.Optional(facts),
    lines,
    tables: Type.Optional(tables),
    totals: Type.Optional(totals),
    terms: Type.Optional(terms),
    notes: Type.Optional(notes),
  },
  { description: `A layout. Lists that are left out are empty, and \`number\` is \`${DEFAULT_NUMBER}\`.`, ...closed },
);

export type GivenLayout = Static<typeof GivenLayoutSchema>;

/** The layout as views and forms expect it: with every list. */
export function completed(given: GivenLayout): Layout {
  const empty = { parties: [], facts: [], tables: [], totals: [], terms: [], notes: [] };
  return { number: DEFAULT_NUMBER, ...empty, ...given };
}

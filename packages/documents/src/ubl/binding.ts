import type { LosslessJson } from '@waybill/client';

/* The elements of a document of UBL 2.1 in the order of its schema, each with the property that it holds. Both ways follow from one binding. */

/** What an element needs to know beyond the object that it is written from. */
export interface Written {
  currency: string;
  /** Counts from 1 in a list. */
  number: number;
  /** Codes of the kinds of tax, by rate. */
  taxCategories: ReadonlyMap<string, string>;
}

export type Members = ReadonlyMap<string, LosslessJson>;

interface Leaf {
  kind: 'leaf';
  element: string;
  property: string;
  /** money has the currency as an attribute, and a quantity the unit, which is a property of its own. */
  holds: 'text' | 'number' | 'money' | 'quantity';
  /** What UBL demands where the document says nothing. It is written only beside other values. */
  otherwise?: string | ((members: Members, written: Written) => string | undefined);
}

interface Fixed {
  kind: 'fixed';
  element: string;
  text: string | ((members: Members, written: Written) => string | undefined);
}

interface Group {
  kind: 'group';
  element: string;
  /** The object that the children are about. Without it, they are about the same one. */
  property?: string;
  /** An array of such objects, an element each. */
  isList?: boolean;
  /** Elements of the same name mean different things: only those with this child are meant. */
  where?: readonly [element: string, text: string];
  children: readonly Binding[];
}

export type Binding = Leaf | Fixed | Group;

export const text = (element: string, property: string, otherwise?: Leaf['otherwise']): Leaf => leaf('text', element, property, otherwise);
export const number = (element: string, property: string): Leaf => leaf('number', element, property);
export const money = (element: string, property: string, otherwise?: Leaf['otherwise']): Leaf =>
  leaf('money', element, property, otherwise);
export const quantity = (element: string, property: string): Leaf => leaf('quantity', element, property);
export const fixed = (element: string, value: Fixed['text']): Fixed => ({ kind: 'fixed', element, text: value });

/** Elements inside each other, of which the last one has the children. */
export function group(path: string, children: readonly Binding[], more: Pick<Group, 'property' | 'isList' | 'where'> = {}): Group {
  const [element = '', ...inner] = path.split('/');
  return inner.length === 0
    ? { kind: 'group', element, children, ...more }
    : { kind: 'group', element, children: [group(inner.join('/'), children)], ...more };
}

function leaf(holds: Leaf['holds'], element: string, property: string, otherwise?: Leaf['otherwise']): Leaf {
  return { kind: 'leaf', element, property, holds, ...(otherwise !== undefined && { otherwise }) };
}

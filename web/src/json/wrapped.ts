import { childrenOf } from './rows.ts';
import type { JsonTree } from './tree.ts';

/**
 * UBL as JSON, and XML converted to JSON, wrap a value in an array of one and in an object beside its attributes: `"PayableAmount": [{ "_": 2380.00,
 * "currencyID": "EUR" }]`.
 */
const VALUE_KEYS = new Set(['_', '#text', '$t', '$']);
const UNIT = /^[@-]?(currencyID|unitCode)$/;

export interface Wrapped {
  node: number;
  unit: string | undefined;
}

export function unwrapped(tree: JsonTree, node: number): Wrapped {
  let inner = node;
  while (tree.kind(inner) === 'array' && tree.children(inner) === 1) inner += 1;
  if (tree.kind(inner) !== 'object') return { node: inner, unit: undefined };
  // A value has few attributes.
  if (tree.children(inner) > 8) return { node: inner, unit: undefined };
  const members = childrenOf(tree, inner);
  const value = members.find((child) => VALUE_KEYS.has(tree.key(child) ?? '') && !tree.isContainer(child));
  const unit = members.find((child) => UNIT.test(tree.key(child) ?? '') && tree.kind(child) === 'string');
  return value === undefined ? { node: inner, unit: undefined } : { node: value, unit: unit === undefined ? undefined : tree.value(unit) };
}

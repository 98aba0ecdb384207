import { LINES_CHECKED_MAX } from '../limits.ts';
import type { Binding } from './binding.ts';
import { UBL_DOCUMENTS } from './documents.ts';
import { UBL } from './to-ubl.ts';
import { parseXml, type XmlElement, XmlProblem } from './xml-tree.ts';

/** A document that was read from a file, or why it could not be. `json` is text, in which all numbers are as they were written. */
export type ReadDocument = { type: string; json: string } | { problem: string };

type Json = string | Json[] | JsonMembers;
interface JsonMembers {
  [name: string]: Json;
}

/** Reads an invoice, a credit note or an order of UBL 2.1. Elements that the type has no property for are left out. Never throws. */
export function fromUbl(xml: string): ReadDocument {
  try {
    const root = parseXml(xml);
    const document = UBL_DOCUMENTS.find(({ root: name }) => root.name === name && root.namespace === `${UBL}${name}-2`);
    if (!document) return { problem: `The XML is no order, invoice or credit note of UBL 2.1, but ${root.name.slice(0, 80)}.` };
    const members: JsonMembers = {};
    readInto(members, document.bindings, root);
    return { type: document.type, json: JSON.stringify(members, undefined, 2) };
  } catch (error) {
    if (error instanceof XmlProblem) return { problem: error.message };
    throw error;
  }
}

function readInto(members: JsonMembers, bindings: readonly Binding[], element: XmlElement): void {
  for (const binding of bindings) {
    if (binding.kind === 'fixed') continue;
    const found = childrenOf(element, binding.element);
    if (binding.kind === 'leaf') readLeaf(members, binding, found);
    else readGroup(members, binding, found);
  }
}

function readLeaf(members: JsonMembers, { property, holds }: Extract<Binding, { kind: 'leaf' }>, [first]: XmlElement[]): void {
  const text = first?.text.trim() ?? '';
  if (!first || text === '') return;
  members[property] = text;
  const unit = holds === 'quantity' && property === 'quantity' ? first.attributes.get('unitCode') : undefined;
  if (unit !== undefined) members['unit'] = unit;
}

function readGroup(
  members: JsonMembers,
  { property, isList, where, children }: Extract<Binding, { kind: 'group' }>,
  found: XmlElement[],
): void {
  const meant = where ? found.filter((one) => childrenOf(one, where[0])[0]?.text.trim() === where[1]) : found;
  if (isList && property !== undefined) {
    const rows = meant.slice(0, LINES_CHECKED_MAX).map((one) => {
      const row: JsonMembers = {};
      readInto(row, children, one);
      return row;
    });
    if (rows.length > 0) members[property] = rows;
    return;
  }
  const [first] = meant;
  if (!first) return;
  const known = property === undefined ? members : members[property];
  const inner = typeof known === 'object' && !Array.isArray(known) ? known : {};
  readInto(inner, children, first);
  if (property !== undefined && Object.keys(inner).length > 0) members[property] = inner;
}

const PREFIXES: Record<string, string> = {
  cac: `${UBL}CommonAggregateComponents-2`,
  cbc: `${UBL}CommonBasicComponents-2`,
};

function childrenOf({ children }: XmlElement, element: string): XmlElement[] {
  const [prefix = '', name] = element.split(':');
  return children.filter((one) => one.name === name && one.namespace === PREFIXES[prefix]);
}

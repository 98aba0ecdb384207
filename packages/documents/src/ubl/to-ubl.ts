import type { LosslessJson } from '@waybill/client';
import { LINES_CHECKED_MAX } from '../limits.ts';
import { storable } from '../outline/csv.ts';
import { membersOf } from '../outline/document-values.ts';
import { decimalIn, isScalar, rawText, type Scalar } from '../outline/shown-value.ts';
import { parsedJson } from '../parsed-json.ts';
import type { Binding, Members, Written } from './binding.ts';
import { UBL_DOCUMENTS } from './documents.ts';
import { rateIn } from './parts.ts';

export const UBL = 'urn:oasis:names:specification:ubl:schema:xsd:';
/** UN/ECE Recommendation 20: one. UBL demands a unit. */
const ONE = 'C62';

/** The types that have a form in UBL. */
export const UBL_TYPES: readonly string[] = UBL_DOCUMENTS.map(({ type }) => type);

/**
 * A document in UBL 2.1: the properties that have a place in it, as they were sent. What the document lacks is missing in the XML, too. Undefined:
 * the type has no form in UBL, or the text is no JSON.
 */
export function toUbl(type: string, json: string): string | undefined {
  const document = UBL_DOCUMENTS.find((one) => one.type === type);
  const parsed = document && parsedJson(json);
  if (!document || parsed === undefined) return undefined;
  const members = membersOf(parsed);
  const currency = members.get('currency');
  const written: Written = {
    currency: isScalar(currency) ? rawText(currency) : '',
    number: 1,
    taxCategories: categoriesIn(members),
  };
  const { xml } = contentOf(document.bindings, members, written);
  const spaces = `xmlns="${UBL}${document.root}-2" xmlns:cac="${UBL}CommonAggregateComponents-2" xmlns:cbc="${UBL}CommonBasicComponents-2"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${document.root} ${spaces}>${xml}</${document.root}>\n`;
}

function categoriesIn(members: Members): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const row of rowsOf(members.get('taxes'))) {
    const tax = membersOf(row);
    const [rate, category] = [rateIn(tax, 'rate'), tax.get('category')];
    if (rate !== undefined && typeof category === 'string' && !found.has(rate)) found.set(rate, category);
  }
  return found;
}

function rowsOf(value: LosslessJson | undefined): LosslessJson[] {
  return Array.isArray(value) ? value.slice(0, LINES_CHECKED_MAX) : [];
}

interface Content {
  xml: string;
  /** Whether it has anything of the document. */
  hasValues: boolean;
}

function contentOf(bindings: readonly Binding[], members: Members, written: Written): Content {
  let xml = '';
  let hasValues = false;
  for (const binding of bindings) {
    const content = contentOfOne(binding, members, written);
    xml += content.xml;
    hasValues ||= content.hasValues;
  }
  return { xml, hasValues };
}

function contentOfOne(binding: Binding, members: Members, written: Written): Content {
  const { element } = binding;
  if (binding.kind === 'fixed') {
    const text = typeof binding.text === 'string' ? binding.text : binding.text(members, written);
    return { xml: text === undefined ? '' : `<${element}>${escaped(text)}</${element}>`, hasValues: false };
  }
  if (binding.kind === 'leaf') {
    const value = members.get(binding.property);
    const isGiven = isScalar(value) && rawText(value) !== '';
    const { otherwise } = binding;
    const text = isGiven ? writtenValue(value, binding.holds) : typeof otherwise === 'function' ? otherwise(members, written) : otherwise;
    if (text === undefined) return { xml: '', hasValues: false };
    return { xml: `<${element}${attributeOf(binding.holds, members, written)}>${escaped(text)}</${element}>`, hasValues: isGiven };
  }
  const { property, isList, children } = binding;
  const value = property === undefined ? undefined : members.get(property);
  const inside = property === undefined ? [members] : (isList ? rowsOf(value) : [value]).map(membersOf);
  const contents = inside.map((one, i) => contentOf(children, one, isList ? { ...written, number: i + 1 } : written));
  // A part that is always the same, such as the scheme of a tax, stands beside values, and is none itself.
  const isConstant = children.every(({ kind }) => kind === 'fixed');
  const kept = contents.filter(({ hasValues }) => hasValues || isConstant);
  return { xml: kept.map(({ xml }) => `<${element}>${xml}</${element}>`).join(''), hasValues: contents.some(({ hasValues }) => hasValues) };
}

type Held = Extract<Binding, { kind: 'leaf' }>['holds'];

function writtenValue(value: Scalar, holds: Held): string {
  return (holds === 'text' ? undefined : decimalIn(value)?.toString(fractionIn(value))) ?? rawText(value);
}

/** How many digits were written behind the point: 3.150 stays 3.150. */
function fractionIn(value: Scalar): number {
  return /^-?\d+\.(\d+)$/.exec(rawText(value))?.[1]?.length ?? 0;
}

function attributeOf(holds: Held, members: Members, { currency }: Written): string {
  if (holds === 'money') return ` currencyID="${escaped(currency)}"`;
  if (holds !== 'quantity') return '';
  const unit = members.get('unit');
  return ` unitCode="${escaped(isScalar(unit) ? rawText(unit) : ONE)}"`;
}

const ENTITIES = new Map([...'<>&"'].map((character) => [character, `&#${character.charCodeAt(0)};`]));

function escaped(text: string): string {
  return storable(text).replace(/[<>&"]/g, (character) => ENTITIES.get(character) ?? '');
}

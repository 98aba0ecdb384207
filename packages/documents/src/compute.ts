import { JsonNumber, JsonObject, type LosslessJson, writeLossless } from '@waybill/client';
import type { Decimal } from './decimal.ts';
import { DocumentPart } from './document-part.ts';
import type { DocumentType, Expectation } from './document-type.ts';
import { editJson, type JsonEdit } from './edit-json.ts';
import { editObject } from './edit-value.ts';
import { parsedJson } from './parsed-json.ts';
import { basesOf, taxBases } from './rules/taxes.ts';
import { orderIn } from './schema-order.ts';

type Type = Pick<DocumentType, 'rules' | 'schema'>;

/** What a rule expected of a value, and what the value was. */
interface Known {
  amount: Decimal | undefined;
  given: LosslessJson | undefined;
  isAsExpected: boolean;
}

interface State {
  values: ReadonlyMap<string, Known>;
  /** The rates that lines, discounts and charges name. Undefined: one of them names none. */
  rates: ReadonlySet<string> | undefined;
  rowRates: readonly string[];
}

/** Known from other documents, and only compared. */
const NEVER_COMPUTED = new Set(['despatched_quantity']);
/** Sums that a document without their list does not need. */
const LIST_OF: Readonly<Record<string, string | undefined>> = { discount_total: 'discounts', charge_total: 'charges' };

/** JSON text and its value. */
export interface WrittenDocument {
  text: string;
  document: JsonObject;
}

/** What is known of a document that was computed is what its next edit begins with. */
const STATES = new WeakMap<JsonObject, { rules: Type['rules']; state: State }>();

/**
 * Computes the totals of a document, as JSON text, and keeps all else as it is. A total follows the other values if it did so in `before`, the
 * document as it was before its last edit: a total that somebody wrote or took out by hand stays. Without `before`, missing totals are added and no
 * value changes. Text that is no JSON object stays as it is.
 */
export function computeTotals(type: Type, json: string, before?: string): string {
  const document = parsedObject(json);
  if (!document) return json;
  const former = before === undefined ? undefined : parsedObject(before === '' ? '{}' : before);
  const { steps } = compute(type, document, former && stateOf(type, former));
  return edited(type, json, steps);
}

/** The document with the totals that it lacks. */
export function withTotals(type: Type, document: JsonObject): JsonObject {
  return compute(type, document, undefined).document;
}

/** Edits a document, and computes the totals that follow. A form with many lines edits text and value together, because reading the text takes longer. */
export function editDocument(type: Type, { text, document }: WrittenDocument, edits: readonly JsonEdit[]): WrittenDocument {
  const changed = editObject(document, edits, orderIn(type.schema));
  const { steps, document: computed } = compute(type, changed, stateOf(type, document));
  return { text: edited(type, text, [edits, ...steps]), document: computed };
}

function edited(type: Type, json: string, steps: readonly (readonly JsonEdit[])[]): string {
  return steps.reduce((text, edits) => editJson(text, edits, orderIn(type.schema)), json);
}

function parsedObject(json: string): JsonObject | undefined {
  const value = parsedJson(json);
  return value instanceof JsonObject ? value : undefined;
}

function stateOf(type: Type, document: JsonObject): State {
  const known = STATES.get(document);
  return known?.rules === type.rules ? known.state : settle(type, new DocumentPart(document), () => 'keep').state;
}

function compute(type: Type, document: JsonObject, old: State | undefined) {
  const order = orderIn(type.schema);
  const rows = type.rules.includes(taxBases) ? taxRowEdits(new DocumentPart(document), old) : [];
  const withRows = editObject(document, rows, order);
  const { edits, state } = settle(type, new DocumentPart(withRows), (expectation, key) =>
    decide(expectation, old?.values.get(key), old !== undefined),
  );
  const computed = editObject(withRows, edits, order);
  STATES.set(computed, { rules: type.rules, state });
  return { document: computed, steps: [rows, edits] };
}

type Decision = Decimal | 'keep' | 'remove';

/** Asks the rules in their order, so that each sees what was computed before it. */
function settle(
  type: Type,
  document: DocumentPart,
  decideOn: (expectation: Expectation, key: string) => Decision,
): { edits: JsonEdit[]; state: State } {
  const edits: JsonEdit[] = [];
  const values = new Map<string, Known>();
  for (const rule of type.rules)
    for (const finding of rule(document)) {
      if ('message' in finding) continue;
      const { part, name, digits } = finding;
      // A document without lines has no totals yet.
      const computed = part.path === '' && part.parts('lines').length === 0 ? undefined : finding.computed;
      const key = keyOf(finding);
      const decision = decideOn({ ...finding, computed }, key);
      if (decision !== 'keep') {
        const value = decision === 'remove' ? undefined : written(decision.toString(digits), part.value(name));
        part.put(name, value);
        edits.push({ path: part.at(name), value: value === undefined ? undefined : writeLossless(value) });
      }
      const given = part.decimal(name);
      const isAsExpected = given !== undefined && computed !== undefined && given.isWithin(computed.tolerance, computed.amount);
      values.set(key, { amount: computed?.amount, given: part.value(name), isAsExpected });
    }
  const bases = basesOf(document);
  return { edits, state: { values, rates: bases && new Set(bases.keys()), rowRates: rowRatesOf(document) } };
}

/** A row of taxes is known by its rate, because rows come and go with their rates. */
function keyOf({ part, name }: Expectation): string {
  const rate = part.path.startsWith('/taxes/') ? part.decimal('rate') : undefined;
  return rate ? `/taxes/${rate}%/${name}` : part.at(name);
}

function decide({ part, name, code, computed }: Expectation, old: Known | undefined, isEdit: boolean): Decision {
  if (NEVER_COMPUTED.has(code)) return 'keep';
  const given = part.value(name);
  const isGiven = part.has(name);
  const isNew = isEdit && !old && isGiven;
  if (isNew || (isEdit && !isSame(given, old?.given) && (isGiven || old?.given !== undefined))) return 'keep';
  if (!isGiven) {
    const isLeftOut = old?.amount !== undefined || (LIST_OF[name] !== undefined && !part.has(LIST_OF[name]));
    return isLeftOut || !computed ? 'keep' : computed.amount;
  }
  if (!isEdit || !old?.isAsExpected) return 'keep';
  if (!computed) return 'remove';
  return old.amount?.equals(computed.amount) ? 'keep' : computed.amount;
}

function isSame(one: LosslessJson | undefined, other: LosslessJson | undefined): boolean {
  return one instanceof JsonNumber && other instanceof JsonNumber ? one.text === other.text : one === other;
}

function written(amount: string, former: LosslessJson | undefined): string | JsonNumber {
  return former instanceof JsonNumber ? new JsonNumber(amount) : amount;
}

const rateOf = (row: DocumentPart) => row.decimal('rate')?.toString() ?? '';
const rowRatesOf = (document: DocumentPart) => document.parts('taxes').map(rateOf);

/** Adds a row of taxes for each rate that has come, and takes out the computed rows of those that have gone. */
function taxRowEdits(document: DocumentPart, old: State | undefined): JsonEdit[] {
  const bases = basesOf(document);
  const rates = rowRatesOf(document);
  if (!bases || document.isCut('taxes') || new Set(rates).size < rates.length) return [];
  const isLeftOut = (rate: string) => old?.rates?.has(rate) === true && !old.rowRates.includes(rate);
  const added = [...bases.keys()].filter((rate) => !rates.includes(rate) && !isLeftOut(rate));
  const gone = rates.flatMap((rate, at) => (!bases.has(rate) && wasComputed(rate, old) ? [at] : []));
  return [
    ...gone.map((at) => ({ path: `/taxes/${at}`, value: undefined })),
    ...(gone.length > 0 && gone.length === rates.length && added.length === 0 ? [{ path: '/taxes', value: undefined }] : []),
    ...added.map((rate, at) => ({ path: `/taxes/${rates.length + at}/rate`, value: JSON.stringify(rate) })),
  ];
}

function wasComputed(rate: string, old: State | undefined): boolean {
  return old?.rates?.has(rate) === true && old.values.get(`/taxes/${rate}%/net`)?.isAsExpected === true;
}

import { documentType } from './catalogue.ts';
import { Decimal } from './decimal.ts';
import type { DocumentType } from './document-type.ts';
import { topLevelScalars, unescaped } from './top-level.ts';

/** What a list shows of a document. What is missing or makes no sense is undefined. */
export interface DocumentFacts {
  number?: string | undefined;
  /** A decimal number of at most NUMBER_MAX_DIGITS digits, without an exponent. */
  total?: string | undefined;
  /** Three letters. */
  currency?: string | undefined;
  /** A day of the calendar, YYYY-MM-DD. */
  dueDate?: string | undefined;
  /** What a confirmation says of the order. */
  status?: string | undefined;
}

/** Characters of a document's number. A longer one is none that people call it by. */
export const DOCUMENT_NUMBER_MAX_CHARS = 64;

/** The names under which a fact is looked for, the best first, with case and separators folded. */
interface FactNames {
  number: readonly string[];
  total: readonly string[];
  currency: readonly string[];
  dueDate: readonly string[];
  status: readonly string[];
}

/** For JSON of any other type: names that can mean nothing else. */
const GUESSED: FactNames = {
  number: [
    'number',
    'documentnumber',
    'invoicenumber',
    'ordernumber',
    'purchaseordernumber',
    'ponumber',
    'quotenumber',
    'creditnotenumber',
  ],
  total: ['payable', 'amountdue', 'total', 'grandtotal', 'totalamount'],
  currency: ['currency', 'currencycode'],
  dueDate: ['duedate', 'paymentduedate'],
  status: [],
};

const WANTED = new Map<string, { names: FactNames; all: ReadonlySet<string> }>();
const GUESSED_WANTED = { names: GUESSED, all: allOf(GUESSED) };

/**
 * Number, total, currency and due date of a document, by the layout of its type, or by honest names where the catalogue does not have the type. Takes the JSON as
 * text, so that no amount passes through a float. Never throws.
 */
export function documentFacts(type: string | null, json: string): DocumentFacts {
  const { names, all } = wantedOf(type);
  const scalars = topLevelScalars(json, all);
  const first = <Fact>(of: readonly string[], read: (written: string) => Fact | undefined): Fact | undefined => {
    for (const name of of) {
      const written = scalars.get(name);
      const fact = written === undefined ? undefined : read(written);
      if (fact !== undefined) return fact;
    }
    return undefined;
  };
  const facts: DocumentFacts = {
    number: first(names.number, numberIn),
    total: first(names.total, totalIn),
    currency: first(names.currency, currencyIn),
    dueDate: first(names.dueDate, dateIn),
    status: first(names.status, statusIn),
  };
  return facts;
}

function wantedOf(type: string | null) {
  const known = type === null ? undefined : documentType(type);
  if (known === undefined) return GUESSED_WANTED;
  const before = WANTED.get(known.type);
  if (before) return before;
  const names = namesOf(known);
  const wanted = { names, all: allOf(names) };
  WANTED.set(known.type, wanted);
  return wanted;
}

/** The last of the totals is their result. An invoice without an amount due still has a total. */
function namesOf({ type, layout, schema }: DocumentType): FactNames {
  const totals = layout.totals.map(({ path }) => folded(path));
  const has = (name: string) => Object.hasOwn(schema.properties ?? {}, name);
  return {
    number: [folded(layout.number)],
    total: [...new Set([...totals.slice(-1), ...totals.filter((name) => name === 'total')])],
    currency: layout.currency === undefined ? [] : [folded(layout.currency)],
    dueDate: has('due_date') ? ['duedate'] : [],
    status: type === 'order.confirmation' ? ['status'] : [],
  };
}

function folded(path: string): string {
  return path.slice(1).replaceAll('_', '');
}

function allOf(names: FactNames): ReadonlySet<string> {
  return new Set([...names.number, ...names.total, ...names.currency, ...names.dueDate, ...names.status]);
}

const textIn = (written: string): string | undefined => (written.startsWith('"') ? unescaped(written) : undefined);

/** Letters, marks, digits, signs and spaces. Without what nobody sees: it could make one number look like another. */
const NUMBER = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
const WHOLE = /^\d+$/;

function numberIn(written: string): string | undefined {
  const number = (textIn(written) ?? (WHOLE.test(written) ? written : '')).trim();
  return number.length <= DOCUMENT_NUMBER_MAX_CHARS && NUMBER.test(number) ? number : undefined;
}

const PLAIN = /^-?\d+(?:\.\d+)?$/;

function totalIn(written: string): string | undefined {
  const text = textIn(written) ?? written;
  const total = Decimal.parse(text);
  return total && (PLAIN.test(text) ? text : total.toString());
}

function currencyIn(written: string): string | undefined {
  const text = textIn(written) ?? '';
  return /^[A-Z]{3}$/.test(text) ? text : undefined;
}

/** A day that exists, also of a time. Year 0 is none that a calendar has. */
function dateIn(written: string): string | undefined {
  const [, day, year, month, date] = /^((\d{4})-(\d\d)-(\d\d))(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.exec(textIn(written) ?? '') ?? [];
  if (day === undefined || year === '0000') return undefined;
  const time = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(time.getTime()) && time.getUTCMonth() + 1 === Number(month) && time.getUTCDate() === Number(date);
  return exists ? day : undefined;
}

function statusIn(written: string): string | undefined {
  const text = textIn(written) ?? '';
  return ['accepted', 'changed', 'rejected'].includes(text) ? text : undefined;
}

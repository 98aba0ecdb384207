import { documentType } from './catalogue.ts';
import { Decimal } from './decimal.ts';
import type { Layout } from './document-type.ts';
import { foldedPointer, scalarsAt, unescaped, Wanted } from './scalars-at.ts';

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

/** The folded pointers at which a fact is looked for, the best first. */
interface Places {
  number: readonly string[];
  total: readonly string[];
  currency: readonly string[];
  dueDate: readonly string[];
  status: readonly string[];
}

/** Where the facts of a type are. */
export interface FactPlaces {
  places: Places;
  wanted: Wanted;
}

/** For JSON of any other type: names that can mean nothing else. */
const GUESSED: Places = {
  number: [
    '/number',
    '/documentnumber',
    '/invoicenumber',
    '/ordernumber',
    '/purchaseordernumber',
    '/ponumber',
    '/quotenumber',
    '/creditnotenumber',
  ],
  total: ['/payable', '/amountdue', '/total', '/grandtotal', '/totalamount'],
  currency: ['/currency', '/currencycode'],
  dueDate: ['/duedate', '/paymentduedate'],
  status: [],
};
const GUESSED_PLACES = withWanted(GUESSED);
const DUE_DATE = /\/(?:payment)?duedate$/;

const OF_CATALOGUE = new Map<string, FactPlaces>();

/**
 * Number, total, currency and due date of a document, by the layout of its type, or by honest names where nobody knows the type. `own`: of a type that a business has
 * described itself. Takes the JSON as text, so that no amount passes through a float. Never throws.
 */
export function documentFacts(type: string | null, json: string, own?: FactPlaces): DocumentFacts {
  const { places, wanted } = own ?? placesOf(type);
  const scalars = scalarsAt(json, wanted);
  const first = <Fact>(of: readonly string[], read: (written: string) => Fact | undefined): Fact | undefined => {
    for (const place of of) {
      const written = scalars.get(place);
      const fact = written === undefined ? undefined : read(written);
      if (fact !== undefined) return fact;
    }
    return undefined;
  };
  return {
    number: first(places.number, numberIn),
    total: first(places.total, totalIn),
    currency: first(places.currency, currencyIn),
    dueDate: first(places.dueDate, dateIn),
    status: first(places.status, statusIn),
  };
}

function placesOf(type: string | null): FactPlaces {
  const known = type === null ? undefined : documentType(type);
  if (known === undefined) return GUESSED_PLACES;
  const before = OF_CATALOGUE.get(known.type);
  if (before) return before;
  const places = withWanted(marked(known.type, known.layout));
  OF_CATALOGUE.set(known.type, places);
  return places;
}

/** Where the facts of a business's own type are. Honest names stand for what the layout does not mark; `/number` is what each layout has by default. */
export function ownFactPlaces(type: string, layout: Layout): FactPlaces {
  const { number, total, currency, dueDate, status } = marked(type, layout);
  return withWanted({
    number: layout.number === '/number' ? GUESSED.number : number,
    total: total.length > 0 ? total : GUESSED.total,
    currency: currency.length > 0 ? currency : GUESSED.currency,
    dueDate: dueDate.length > 0 ? dueDate : GUESSED.dueDate,
    status,
  });
}

/** The last of the totals is their result. An invoice without an amount due still has a total. */
function marked(type: string, { number, totals, currency, facts, terms }: Layout): Places {
  const sums = totals.map(({ path }) => foldedPointer(path));
  const dates = [...facts, ...terms].map(({ path }) => foldedPointer(path));
  return {
    number: [foldedPointer(number)],
    total: [...new Set([...sums.slice(-1), ...sums.filter((place) => place === '/total')])],
    currency: currency === undefined ? [] : [foldedPointer(currency)],
    dueDate: dates.filter((place) => DUE_DATE.test(place)).slice(0, 1),
    status: type === 'order.confirmation' ? ['/status'] : [],
  };
}

function withWanted(places: Places): FactPlaces {
  return { places, wanted: new Wanted(Object.values(places).flat()) };
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

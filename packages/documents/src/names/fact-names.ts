import { snake } from './snake.ts';

/** The names, in snake case, by which numbers, dates, money and states of a document are known. */

/** Names of an object that is the document itself. */
export const DOCUMENT =
  'purchase_order|order|invoice|credit_note|order_response|despatch_advice|quotation|quote|offer|document|data|payload|body';

const NOUN = 'purchase_order|order|po|invoice|credit_note|quote|offer|shipment|delivery|contract|document|tracking|reference|ticket';
export const NUMBER = new RegExp(`^(${NOUN})(_(number|no|nr|id|ref))?$|^(number|ref)$`);
/** Matches the name of an object and the name of its value together, such as `orderReference` and `id`. */
export const NUMBER_OF = new RegExp(`(^|_)(${NOUN})_(number|no|nr|id|ref)$`);

export const DAY = /(^|_)(date|deadline|eta|due)$|_(on|at|by|until|from)$|^due_|requested_delivery$/;

export const OWN_TOTALS = [
  /^(payable|amount_(due|payable)|total_(due|payable)|balance_due|payable_(amount|total)|due_amount)$/,
  /^((grand|gross|invoice|order|document)_?total(_amount)?|total_(gross|incl\w*)(_amount)?|tax_inclusive_amount|gross_amount)$/,
  /^(total(_(amount|price|value|cost|sum))?|amount)$/,
];
export const OTHER_MONEY = new RegExp(
  `(^|_)(amount|price|payable|subtotal|sub_total|cost|(tax|vat|net|gross|discount|shipping|freight|deposit)_?total)$|^(${DOCUMENT})_total$`,
);

export const STATE = /^(status|state|priority)$/;

const FACTS = [NUMBER, DAY, ...OWN_TOTALS, OTHER_MONEY, STATE];

export const namesFact = (name: string): boolean => FACTS.some((pattern) => pattern.test(name));

/** Names of objects that only group values of the document. */
export const GROUP = /^(header|summary|totals|amounts|((legal|requested|anticipated)_)?monetary_total)$/;
/** Names of money that are clear without their group. */
const SPEAKS_FOR_ITSELF = /total|amount|payable|due|balance/;

export function withoutGroups(names: string[]): string[] {
  return names.filter((name, at) => {
    const next = names[at + 1];
    return next === undefined || !GROUP.test(name) || !(name === 'header' || SPEAKS_FOR_ITSELF.test(next));
  });
}

/** Lines of an order are shown as a table, because their amounts are not those of the document. */
export const isLines = (key: string): boolean => /(^|_)(lines?|items?|positions?|articles|products)$/.test(snake(key));

import type { Decimal } from '../decimal.ts';
import type { DocumentPart } from '../document-part.ts';
import { documentSchema } from '../document-schema.ts';
import type { DocumentType, Expectation, Warning } from '../document-type.ts';
import { currency, identity, note, parties } from '../head.ts';
import { lines } from '../lines.ts';
import { choice, date, decimal, text } from '../properties.ts';
import { compare, digitsOf, exactly, optional } from '../rules/amounts.ts';
import { notBefore } from '../rules/head.ts';
import { acme, globex } from '../story.ts';

const description = 'A seller lists what was invoiced, credited and paid in a period, and what is open at its end.';

const money = (path: string) => ({ path, format: 'money' }) as const;

/** The balance of each line is the balance before it, plus debit, less credit; the last one is the closing balance. */
function* balances(document: DocumentPart): Iterable<Expectation> {
  const digits = digitsOf(document);
  let balance: Decimal | undefined = optional(document, 'opening_balance');
  for (const line of document.parts('lines')) {
    const [debit, credit] = [optional(line, 'debit'), optional(line, 'credit')];
    balance = debit && credit && balance?.plus(debit).minus(credit);
    yield* compare(line, 'balance', 'balance', 'balance before + debit − credit', exactly(balance), digits);
    // A wrong balance is reported once: the next line goes on from it.
    if (line.has('balance')) balance = line.decimal('balance');
  }
  if (!document.isCut('lines'))
    yield* compare(document, 'closing_balance', 'closing_balance', 'balance of the last line', exactly(balance), digits);
}

/** Each line is of a day in the period. */
function* inPeriod(document: DocumentPart): Iterable<Warning> {
  const [start = '', end = '9999-12-31'] = [document.date('period_start'), document.date('period_end')];
  for (const line of document.parts('lines')) {
    const day = line.date('date');
    if (day !== undefined && (day < start || day > end))
      yield { path: line.at('date'), code: 'outside_period', message: 'The day is not in the period of the statement.' };
  }
}

export const statement: DocumentType = {
  type: 'statement',
  title: 'Statement of account',
  description,
  version: 1,
  schema: documentSchema(
    'Statement of account',
    description,
    ['number', 'issue_date', 'currency', 'seller', 'buyer', 'lines', 'closing_balance'],
    {
      ...identity('statement'),
      period_start: date('From', 'First day of the period.', { ubl: 'cac:StatementPeriod/cbc:StartDate' }),
      period_end: date('To', 'Last day of the period.', { ubl: 'cac:StatementPeriod/cbc:EndDate' }),
      currency: currency(),
      ...parties('cac:AccountingCustomerParty', 'cac:AccountingSupplierParty'),
      opening_balance: decimal('Opening balance', 'What the buyer owed before the period.'),
      lines: lines(
        ['date'],
        {
          date: date('Date', 'Day of the entry.'),
          kind: choice('Kind', 'What the entry is.', ['invoice', 'credit.note', 'payment', 'discount', 'other']),
          document_number: text('Number', 'Number of the document that the entry is for.'),
          debit: decimal('Debit', 'What the buyer owes more.', { ubl: 'cbc:DebitLineAmount' }),
          credit: decimal('Credit', 'What the buyer owes less.', { ubl: 'cbc:CreditLineAmount' }),
          balance: decimal('Balance', 'What the buyer owes after the entry.', { ubl: 'cbc:BalanceAmount' }),
        },
        'cac:StatementLine',
      ),
      closing_balance: decimal('Closing balance', 'What the buyer owes at the end of the period.', { ubl: 'cbc:TotalBalanceAmount' }),
      note,
    },
  ),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/seller', '/buyer'],
    facts: [{ path: '/issue_date' }, { path: '/period_start' }, { path: '/period_end' }, { path: '/opening_balance', format: 'money' }],
    lines: {
      path: '/lines',
      columns: [{ path: '/date' }, { path: '/kind' }, { path: '/document_number' }, money('/debit'), money('/credit'), money('/balance')],
    },
    tables: [],
    totals: [money('/closing_balance')],
    terms: [],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'ST-2026-10',
      issue_date: '2026-11-02',
      period_start: '2026-10-01',
      period_end: '2026-10-31',
      currency: 'EUR',
      seller: globex,
      buyer: acme,
      opening_balance: '0.00',
      lines: [
        { date: '2026-10-21', kind: 'invoice', document_number: 'INV-2026-0442', debit: '1027.00', balance: '1027.00' },
        { date: '2026-10-26', kind: 'credit.note', document_number: 'CN-2026-0031', credit: '14.24', balance: '1012.76' },
        { date: '2026-10-30', kind: 'payment', document_number: 'PAY-2026-1877', credit: '992.22', balance: '20.54' },
        { date: '2026-10-30', kind: 'discount', document_number: 'INV-2026-0442', credit: '20.54', balance: '0.00' },
      ],
      closing_balance: '0.00',
    },
  ],
  rules: [balances, inPeriod, notBefore('period_end', 'period_start'), notBefore('issue_date', 'period_end')],
};

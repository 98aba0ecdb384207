import type { DocumentPart } from '../document-part.ts';
import { documentSchema } from '../document-schema.ts';
import type { DocumentType, Expectation } from '../document-type.ts';
import { currency, identity, note, parties } from '../head.ts';
import { lines } from '../lines.ts';
import { choice, date, decimal, partOf, text } from '../properties.ts';
import { compare, digitsOf, exactly, optional, sumOfList } from '../rules/amounts.ts';
import { total } from '../rules/totals.ts';
import { acme, globex } from '../story.ts';

const description = 'A buyer says which invoices and credit notes a payment is for. Amounts of credit notes are negative.';

const money = (path: string) => ({ path, format: 'money' }) as const;

/** What is paid is the amount of the document, less the discount. */
function* paid(document: DocumentPart): Iterable<Expectation> {
  const digits = digitsOf(document);
  for (const line of document.parts('lines')) {
    const discount = optional(line, 'discount');
    const rest = discount && line.decimal('amount')?.minus(discount);
    yield* compare(line, 'paid', 'paid', 'amount − discount', exactly(rest), digits);
  }
}

export const remittance: DocumentType = {
  type: 'remittance',
  title: 'Remittance advice',
  description,
  version: 1,
  schema: documentSchema('Remittance advice', description, ['number', 'issue_date', 'currency', 'buyer', 'seller', 'lines', 'total'], {
    ...identity('remittance advice'),
    payment_date: date('Paid on', 'Day on which the account is debited.', { ubl: 'cac:PaymentMeans/cbc:PaymentDueDate' }),
    currency: currency(),
    ...parties('cac:AccountingCustomerParty', 'cac:AccountingSupplierParty'),
    payment: partOf('payment', 'Payment', 'Which account the payment goes to, and its reference.', { ubl: 'cac:PaymentMeans' }),
    lines: lines(
      ['document_number', 'paid'],
      {
        document_type: choice('Kind', 'What is paid.', ['invoice', 'credit.note']),
        document_number: text('Number', 'Number of the invoice or credit note.', {
          ubl: 'cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID',
        }),
        document_date: date('Date', 'Day on which the invoice or credit note was issued.', {
          ubl: 'cac:BillingReference/cac:InvoiceDocumentReference/cbc:IssueDate',
        }),
        amount: decimal('Amount', 'What the invoice or credit note comes to.'),
        discount: decimal('Discount', 'What is deducted, such as for paying early.'),
        paid: decimal('Paid', 'Amount, less discount.'),
      },
      'cac:RemittanceAdviceLine',
    ),
    total: decimal('Total paid', 'Sum of all that is paid.', { ubl: 'cbc:TotalPaymentAmount' }),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/buyer', '/seller'],
    facts: [{ path: '/issue_date' }, { path: '/payment_date' }],
    lines: {
      path: '/lines',
      columns: [
        { path: '/document_type' },
        { path: '/document_number' },
        { path: '/document_date' },
        money('/amount'),
        money('/discount'),
        money('/paid'),
      ],
    },
    tables: [],
    totals: [money('/total')],
    terms: [{ path: '/payment/account' }, { path: '/payment/account_name' }, { path: '/payment/bank' }, { path: '/payment/reference' }],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'PAY-2026-1877',
      issue_date: '2026-10-29',
      payment_date: '2026-10-30',
      currency: 'EUR',
      buyer: acme,
      seller: globex,
      payment: { account: 'DE02120300000000202051', reference: 'INV-2026-0442 CN-2026-0031' },
      lines: [
        {
          ...{ document_type: 'invoice', document_number: 'INV-2026-0442', document_date: '2026-10-21' },
          ...{ amount: '1027.00', discount: '20.54', paid: '1006.46' },
        },
        {
          ...{ document_type: 'credit.note', document_number: 'CN-2026-0031', document_date: '2026-10-26' },
          ...{ amount: '-14.24', paid: '-14.24' },
        },
      ],
      total: '992.22',
    },
  ],
  rules: [paid, total('total', 'sum of what is paid', (document) => sumOfList(document, 'lines', 'paid'))],
};

import type { DocumentPart } from '../document-part.ts';
import { documentSchema } from '../document-schema.ts';
import type { DocumentType, Warning } from '../document-type.ts';
import { despatchNumber, identity, note, orderNumber } from '../head.ts';
import { choice, date, decimal, list, longText, object, partOf, text } from '../properties.ts';
import { notBefore } from '../rules/head.ts';
import { lineNumbers } from '../rules/lines.ts';
import { acme, bearing, globex, pieces } from '../story.ts';

const description =
  'Somebody who can vouch for it says what an article is: what was measured, which standard it meets, or where it comes from.';

const KINDS = ['conformity', 'inspection', 'analysis', 'origin'];

/** What was measured lies between the limits that are named. */
function* withinLimits(document: DocumentPart): Iterable<Warning> {
  for (const result of document.parts('results')) {
    const [value, minimum, maximum] = [result.decimal('value'), result.decimal('minimum'), result.decimal('maximum')];
    const isLow = value && minimum && value.compare(minimum) < 0;
    const limit = isLow ? `at least ${minimum}` : value && maximum && value.compare(maximum) > 0 ? `at most ${maximum}` : undefined;
    if (limit !== undefined) yield { path: result.at('value'), code: 'out_of_limits', message: `Expected ${limit}, not ${value}.` };
  }
}

const result = object('Result', 'Something that was measured or tested.', ['name', 'value'], {
  name: text('Property', 'What was measured, such as the hardness.'),
  method: text('Method', 'Standard or method of the measurement.'),
  unit: text('Unit', 'Unit of the value and its limits.'),
  minimum: decimal('Minimum', 'The least value that is allowed.'),
  maximum: decimal('Maximum', 'The greatest value that is allowed.'),
  value: decimal('Value', 'What was measured.'),
});

const line = object('Article', 'An article that the certificate is about.', ['name'], {
  id: text('Line', 'Number of the line, which no other line has.'),
  sku: text('Article', 'The seller’s number of the article.'),
  name: text('Description', 'Name of the article.'),
  quantity: decimal('Quantity', 'How many units.'),
  unit: text('Unit', 'Unit of the quantity: a code of UN/ECE Recommendation 20 such as C62 (one) or KGM, or a word.'),
  lot_number: text('Lot', 'Number of the lot that the article comes from.'),
  origin: partOf('country', 'Origin', 'Country where the article was made, as two letters of ISO 3166-1.', { en: 'BT-159' }),
});

export const certificate: DocumentType = {
  type: 'certificate',
  title: 'Certificate',
  description,
  version: 1,
  schema: documentSchema('Certificate', description, ['number', 'issue_date', 'kind', 'issuer', 'lines'], {
    ...identity('certificate'),
    kind: choice('Kind', 'What is certified.', KINDS),
    valid_until: date('Valid until', 'Last day on which the certificate holds.'),
    issuer: partOf('party', 'Issuer', 'Who vouches for the certificate.'),
    holder: partOf('party', 'Holder', 'Whom the certificate is for.'),
    order_number: { ...orderNumber, description: 'Number of the buyer’s order.' },
    despatch_number: { ...despatchNumber, description: 'Number of the despatch advice.' },
    standard: text('Standard', 'Standard or specification that the articles meet.'),
    lines: list('Articles', 'What the certificate is about.', line),
    results: list('Results', 'What was measured.', result),
    declaration: longText('Declaration', 'What the issuer declares.'),
    note: { ...note, description: 'What else the reader should know.' },
  }),
  layout: {
    number: '/number',
    parties: ['/issuer', '/holder'],
    facts: [
      { path: '/kind' },
      { path: '/issue_date' },
      { path: '/valid_until' },
      { path: '/standard' },
      { path: '/order_number' },
      { path: '/despatch_number' },
    ],
    lines: {
      path: '/lines',
      columns: [
        { path: '/id' },
        { path: '/sku' },
        { path: '/name' },
        { path: '/quantity', format: 'quantity' },
        { path: '/unit' },
        { path: '/lot_number' },
        { path: '/origin' },
      ],
    },
    tables: [
      {
        path: '/results',
        columns: [
          { path: '/name' },
          { path: '/method' },
          { path: '/minimum', format: 'quantity' },
          { path: '/maximum', format: 'quantity' },
          { path: '/value', format: 'quantity' },
          { path: '/unit' },
        ],
      },
    ],
    totals: [],
    terms: [{ path: '/declaration' }],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'IC-2026-0917',
      issue_date: '2026-10-19',
      kind: 'inspection',
      issuer: globex,
      holder: acme,
      order_number: 'PO-4711',
      despatch_number: 'DN-2026-3307',
      standard: 'EN 10204, 3.1',
      lines: [{ ...bearing, ...pieces(200), lot_number: 'L-26-0917', origin: 'DE' }],
      results: [
        { name: 'Bore diameter', unit: 'mm', minimum: '19.990', maximum: '20.000', value: '19.996' },
        { name: 'Hardness', method: 'ISO 6508-1', unit: 'HRC', minimum: 60, maximum: 64, value: 62 },
      ],
      declaration: 'The articles were inspected and meet what was ordered.',
    },
  ],
  rules: [lineNumbers, withinLimits, notBefore('valid_until', 'issue_date')],
};

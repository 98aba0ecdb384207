import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { acknowledgementOf, checkDocument, DOCUMENT_TYPES, type DocumentAction, documentActions, documentType } from '../src/index.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
formats.default(ajv);

const READERS = ['recipient', 'sender'] as const;
const TODAY = '2026-11-02';

/** Each sample with each action that has a reply. */
const CASES = DOCUMENT_TYPES.flatMap(({ type, samples }) =>
  samples.flatMap((sample, i) =>
    READERS.flatMap((reader) =>
      documentActions(type, reader, true).flatMap((action) =>
        action.prefill ? [[`${type} ${i}`, reader, action.id, sample, action] as const] : [],
      ),
    ),
  ),
);

const action = (type: string, id: string, reader: 'recipient' | 'sender' = 'recipient'): DocumentAction =>
  documentActions(type, reader, true).find((one) => one.id === id) ?? expect.fail(`${type} has no ${id}`);

function prefilled(type: string, id: string, json: string, filling: object = {}, reader: 'recipient' | 'sender' = 'recipient') {
  return action(type, id, reader).prefill?.(json, { today: TODAY, ...filling }) ?? expect.fail('no reply');
}

function sampleOf(type: string): Record<string, unknown> {
  return { ...documentType(type)?.samples[0] };
}

describe.each(CASES)('%s, %s: %s', (_name, _reader, id, sample, { prefill, type }) => {
  const text = prefill?.(JSON.stringify(sample), { today: TODAY, number: 'N-1', reason: 'Because.' }) ?? expect.fail();
  const made = JSON.parse(text);
  const target = documentType(type ?? '');

  test('is valid and has no warnings', () => {
    if (!target) return expect(id).toBe('dispute');
    const validate = ajv.compile(target.schema);
    validate(made);
    // A request for a quote and a rejected confirmation have no prices.
    const missing = 'total' in sample ? [] : (validate.errors ?? []).filter(({ keyword }) => keyword === 'required');
    expect(validate.errors ?? []).toEqual(missing);
    if (missing.length === 0) expect(checkDocument(target, text)).toEqual([]);
  });

  test('names no property that its type does not know', () => {
    const known = Object.keys(target?.schema.properties ?? made);
    expect(Object.keys(made).filter((name) => !known.includes(name))).toEqual([]);
    expect(Object.keys(made)).toEqual(known.filter((name) => name in made));
  });
});

test('the list of actions', () => {
  const ids = (type: string | null, reader: 'recipient' | 'sender', hasJson = true) =>
    documentActions(type, reader, hasJson).map(({ id }) => id);
  expect(ids('order', 'recipient')).toEqual(['confirm', 'confirm-with-changes', 'reject', 'create-despatch', 'create-invoice']);
  expect(ids('order', 'sender')).toEqual(['change-order']);
  expect(ids('order.change', 'recipient')).toEqual(ids('order', 'recipient'));
  expect(ids('quote.request', 'recipient')).toEqual(['quote', 'decline']);
  expect(ids('quote', 'recipient')).toEqual(['order', 'decline']);
  expect(ids('despatch', 'recipient')).toEqual(['confirm-receipt', 'reject']);
  expect(ids('invoice', 'recipient')).toEqual(['accept', 'dispute', 'reject', 'create-remittance']);
  expect(ids('invoice', 'sender')).toEqual(['create-credit-note']);
  expect(ids('order.confirmation', 'sender')).toEqual(['create-despatch', 'create-invoice']);
  for (const type of ['waybill.own', 'constructor', '__proto__', null]) {
    expect(ids(type, 'recipient')).toEqual(['accept', 'reject']);
    expect(ids(type, 'sender')).toEqual([]);
  }
  expect(ids(null, 'recipient', false), 'a note').toEqual([]);
  expect(ids('invoice', 'recipient', false), 'an invoice in a file').toEqual(['accept', 'reject']);
  expect(ids('invoice', 'sender', false)).toEqual([]);
});

test('an acknowledgement goes with an action unless it was given before, and a contradiction is known', () => {
  const [confirm, reject, accept] = [action('order', 'confirm'), action('order', 'reject'), action('invoice', 'accept')];
  const remit = action('invoice', 'create-remittance');
  const after = (one: DocumentAction) =>
    ([null, 'accepted', 'processed', 'rejected'] as const).map((latest) => acknowledgementOf(one, latest));
  expect(after(confirm)).toEqual(['accepted', null, null, undefined]);
  expect(after(reject)).toEqual(['rejected', 'rejected', undefined, null]);
  expect(after(accept)).toEqual(['accepted', undefined, undefined, undefined]);
  expect(after(remit)).toEqual(['processed', 'processed', null, undefined]);
  expect(after(action('order', 'create-invoice'))).toEqual([null, null, null, null]);
});

test('a confirmation has the lines of the order, and days that are not over', () => {
  const order = sampleOf('order');
  const confirm = (today: string) => JSON.parse(prefilled('order', 'confirm', JSON.stringify(order), { today }));
  const made = confirm('2026-10-14');
  expect(made).toMatchObject({
    number: 'OC-PO-4711',
    issue_date: '2026-10-14',
    order_number: 'PO-4711',
    status: 'accepted',
    total: '1014.54',
  });
  expect(made.note).toBeUndefined();
  expect(made.lines).toHaveLength(3);
  expect(made.lines[0]).toMatchObject({ id: '1', quantity: 200, price: '3.15', status: 'accepted', promised_date: '2026-10-22' });
  expect(confirm('2026-10-23').lines[0].promised_date).toBeUndefined();
  const changed = JSON.parse(prefilled('order', 'confirm-with-changes', JSON.stringify(order)));
  expect(changed).toMatchObject({ status: 'changed' });
  expect(JSON.parse(prefilled('order', 'reject', JSON.stringify(order), { reason: 'Sold out.' }))).toEqual({
    ...{ number: 'OC-PO-4711', issue_date: TODAY, order_number: 'PO-4711', status: 'rejected' },
    ...{ buyer: order['buyer'], seller: order['seller'], reason: 'Sold out.' },
  });
});

test('despatch advice and invoice leave out what was cancelled, and name the lines of the order', () => {
  const lines = [
    { id: '10', name: 'A', quantity: 2, price: '1.50', tax_rate: 19, total: '3.00' },
    { id: '20', name: 'B', quantity: '0.00', price: '9', tax_rate: 19, total: '0' },
    { name: 'C', quantity: 1, price: '2', tax_rate: 19 },
  ];
  const change = JSON.stringify({ number: 'PO-1-1', order_number: 'PO-1', currency: 'EUR', lines });
  const despatch = JSON.parse(prefilled('order.change', 'create-despatch', change));
  expect(despatch).toMatchObject({ order_number: 'PO-1', despatch_date: TODAY });
  expect(despatch.lines).toEqual([
    { id: '10', name: 'A', quantity: 2, order_line: '10' },
    { id: '1', name: 'C', quantity: 1, order_line: '1' },
  ]);
  const invoice = JSON.parse(prefilled('order.change', 'create-invoice', change));
  expect(invoice.number, 'invoices have no gaps').toBeUndefined();
  expect(invoice).toMatchObject({ lines_total: '5.00', net_total: '5.00', tax_total: '0.95', total: '5.95', payable: '5.95' });
  expect(invoice.taxes).toEqual([{ rate: '19', net: '5.00', tax: '0.95' }]);
  expect(invoice.lines[1]).toMatchObject({ order_line: '1', total: '2.00' });
});

test('a credit note for chosen lines has the sums of these lines, and one for all has those of the invoice', () => {
  const json = JSON.stringify({ ...sampleOf('invoice'), prepaid: '100.00', payable: '927.00' });
  const creditNote = documentType('credit.note') ?? expect.fail();
  const some = prefilled('invoice', 'create-credit-note', json, { lines: [2, 0, 99, 0], number: 'CN-1', reason: 'Dented.' }, 'sender');
  expect(JSON.parse(some)).toMatchObject({
    ...{ invoice_number: 'INV-2026-0442', invoice_date: '2026-10-21', reason: 'Dented.' },
    ...{ lines: [{ id: '1' }, { id: '3' }], lines_total: '658.30', net_total: '658.30', tax_total: '117.91', total: '776.21' },
    taxes: [
      { rate: '19', category: 'S', net: '598.50', tax: '113.72' },
      { rate: '7', category: 'S', net: '59.80', tax: '4.19' },
    ],
    payable: '776.21',
  });
  expect(JSON.parse(some).charges).toBeUndefined();
  expect(checkDocument(creditNote, some)).toEqual([]);
  const all = prefilled('invoice', 'create-credit-note', json, { number: 'CN-2' }, 'sender');
  expect(JSON.parse(all)).toMatchObject({ total: '1027.00', payable: '1027.00', charges: [{ reason: 'Freight' }] });
  expect(JSON.parse(all).prepaid).toBeUndefined();
  expect(checkDocument(creditNote, all)).toEqual([]);
});

test('what an order has of its sums is taken over, and the rest is computed as in a form', () => {
  const lines = [{ name: 'A', quantity: 2, price: '1.50', tax_rate: 19 }];
  const bill = (order: object) => JSON.parse(prefilled('order', 'create-invoice', JSON.stringify({ currency: 'EUR', ...order })));
  expect(bill({ lines, lines_total: 3, charges: [{ reason: 'Freight', amount: 1, tax_rate: 19 }] })).toMatchObject({
    ...{ lines: [{ total: '3.00' }], lines_total: 3, charge_total: '1.00', net_total: '4.00' },
    ...{ taxes: [{ rate: '19', net: '4.00', tax: '0.76' }], tax_total: '0.76', total: '4.76', payable: '4.76' },
  });
  const unknown = bill({ lines: [{ name: 'A', quantity: 2 }], total: '20.00' });
  expect(unknown).toMatchObject({ total: '20.00', payable: '20.00' });
  expect(unknown.lines_total).toBeUndefined();
});

test('a dispute names the lines and their sum', () => {
  const made = JSON.parse(prefilled('invoice', 'dispute', JSON.stringify(sampleOf('invoice')), { lines: [0], reason: 'Four are dented.' }));
  expect(made).toMatchObject({
    invoice_number: 'INV-2026-0442',
    order_number: 'PO-4711',
    reason: 'Four are dented.',
    disputed_total: '598.50',
  });
  expect(made.lines).toEqual([
    { invoice_line: '1', sku: 'KL-6204', name: 'Ball bearing 6204-2RS', quantity: 200, unit: 'C62', price: '3.15', total: '598.50' },
  ]);
});

test('a remittance advice pays what is due', () => {
  const made = JSON.parse(prefilled('invoice', 'create-remittance', '{"number":"R 7","payable":12.10,"total":20}'));
  expect(made).toEqual({
    ...{ number: 'PAY-R 7', issue_date: TODAY, payment_date: TODAY, total: 12.1 },
    lines: [{ document_type: 'invoice', document_number: 'R 7', amount: 12.1, paid: 12.1 }],
  });
});

test('numbers keep their digits', () => {
  const json =
    '{"number":4711,"currency":"EUR","lines":[{"id":1.0,"name":"x","quantity":12345678901234567890.0,"price":1e-7}],"total":0.10000000000000000001}';
  const made = prefilled('order', 'confirm', json);
  for (const digits of ['12345678901234567890.0', '1e-7', '0.10000000000000000001']) expect(made).toContain(`: ${digits}`);
  expect(JSON.parse(made)).toMatchObject({ order_number: '4711', lines: [{ id: '1.0' }] });
});

test('the writer stands where the source names nobody', () => {
  const confirm = (json: string) => JSON.parse(prefilled('order', 'confirm', json, { writer: { name: 'Globex', handle: 'globex' } }));
  expect(confirm('{"number":"1"}').seller).toEqual({ name: 'Globex', handle: 'globex' });
  expect(confirm('{"number":"1","seller":{"name":"Other"}}').seller).toEqual({ name: 'Other' });
  const byHandle = (handle: string) => confirm(`{"number":"1","seller":{"handle":"${handle}","tax_id":"DE1"}}`).seller;
  expect(byHandle('globex')).toEqual({ name: 'Globex', handle: 'globex', tax_id: 'DE1' });
  expect(byHandle('other')).toEqual({ handle: 'other', tax_id: 'DE1' });
});

describe('hostile and partial documents give what they can:', () => {
  const HOSTILE = [
    ...['', '{', 'null', '"order"', '[1]', '{"lines":{}}', '{"lines":[null,1,"x",[],{}],"taxes":[null],"charges":5,"number":{}}'],
    '{"__proto__":{"number":"1"},"constructor":1,"lines":[{"__proto__":1,"quantity":"1e99999"}],"toString":1}',
    `{"number":"${'9'.repeat(500)}","currency":["EUR"],"lines":[{"quantity":${'9'.repeat(500)},"price":1}]}`,
    `{"seller":${'['.repeat(900)}${']'.repeat(900)}}`,
    `{"lines":${'['.repeat(100_000)}`,
    `{"number":"1","number":"2","lines":[${Array.from({ length: 2_000 }, (_, i) => `{"id":"${i}","quantity":1,"price":2,"tax_rate":7}`).join()}]}`,
  ];
  const replies = READERS.flatMap((reader) =>
    DOCUMENT_TYPES.flatMap(({ type }) => documentActions(type, reader, true).flatMap(({ prefill }) => prefill ?? [])),
  );

  test.each(HOSTILE.map((json) => [json.slice(0, 40), json]))('%s', (_, json) => {
    for (const prefill of replies) {
      const made = JSON.parse(prefill(json, { today: TODAY, lines: [0, -1, 1e9, Number.NaN] }));
      expect(made.issue_date).toBe(TODAY);
      expect(Object.hasOwn(made, '__proto__')).toBe(false);
    }
  });

  test('the last of repeated names counts, and missing line numbers are found', () => {
    const made = JSON.parse(prefilled('order', 'confirm', '{"number":"1","number":"2","lines":[{"id":"1"},{},{"id":"2"},{"id":""}]}'));
    expect(made.order_number).toBe('2');
    expect(made.lines.map(({ id }: { id: string }) => id)).toEqual(['1', '3', '2', '4']);
  });
});

/* The samples are one story: acme orders bearings, seals and handbooks from globex, and pays them. */

export const acme = {
  name: 'Acme Maschinenbau GmbH',
  handle: 'acme',
  address: { street: 'Hafenstraße 12', city: 'Hamburg', postal_code: '20457', country: 'DE' },
  tax_id: 'DE123456789',
  contact: { name: 'Ann Price, Purchasing', phone: '+49 40 5550123', email: 'purchasing@acme.example' },
};

export const globex = {
  name: 'Globex Wälzlager AG',
  handle: 'globex',
  address: { street: 'Industriering 5', city: 'München', postal_code: '80331', country: 'DE' },
  tax_id: 'DE987654321',
  contact: { name: 'Otto Berg, Sales', phone: '+49 89 5550177', email: 'orders@globex.example' },
};

export const plant = {
  name: 'Acme, plant 2, gate B',
  address: { street: 'Werkstraße 40', city: 'Hamburg', postal_code: '21107', country: 'DE' },
};

export const bearing = { id: '1', sku: 'KL-6204', name: 'Ball bearing 6204-2RS' };
export const seal = { id: '2', sku: 'WD-25407', name: 'Shaft seal 25 × 40 × 7' };
export const handbook = { id: '3', sku: 'HB-11', name: 'Handbook: mounting of bearings' };

export const pieces = (quantity: number) => ({ quantity, unit: 'C62' });

export const bearings = { ...bearing, ...pieces(200), price: '3.15', discount: '31.50', tax_rate: '19', total: '598.50' };
export const seals = { ...seal, ...pieces(120), price: '1.245', tax_rate: '19', total: '149.40' };
export const moreSeals = { ...seals, ...pieces(150), total: '186.75' };
export const handbooks = { ...handbook, ...pieces(3), price: '29.90', tax_rate: '7', total: '89.70' };

const freight = [{ reason: 'Freight', amount: '24.00', tax_rate: '19' }];

/** The totals of what acme ordered first. */
export const ordered = {
  charges: freight,
  lines_total: '837.60',
  charge_total: '24.00',
  net_total: '861.60',
  taxes: [
    { rate: '19', category: 'S', net: '771.90', tax: '146.66' },
    { rate: '7', category: 'S', net: '89.70', tax: '6.28' },
  ],
  tax_total: '152.94',
  total: '1014.54',
};

/** The totals after the order was changed to 150 seals. */
export const changed = {
  charges: freight,
  lines_total: '874.95',
  charge_total: '24.00',
  net_total: '898.95',
  taxes: [
    { rate: '19', category: 'S', net: '809.25', tax: '153.76' },
    { rate: '7', category: 'S', net: '89.70', tax: '6.28' },
  ],
  tax_total: '160.04',
  total: '1058.99',
};

/** The totals of what was despatched: one handbook is missing. */
export const invoiced = {
  charges: freight,
  lines_total: '845.05',
  charge_total: '24.00',
  net_total: '869.05',
  taxes: [
    { rate: '19', category: 'S', net: '809.25', tax: '153.76' },
    { rate: '7', category: 'S', net: '59.80', tax: '4.19' },
  ],
  tax_total: '157.95',
  total: '1027.00',
  payable: '1027.00',
};

export const deliveryTerms = 'DAP Hamburg';
export const paymentTerms = '2 % discount within 10 days, net within 30 days.';

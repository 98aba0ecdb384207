import { NUMBER_MAX_DIGITS } from './limits.ts';
import { decimal, object, partOf, text } from './properties.ts';
import type { Schema } from './schema.ts';

const DECIMAL: Schema = {
  title: 'Number',
  description: 'An exact number: a string such as "12.50", or a JSON number.',
  type: ['string', 'number'],
  pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$',
  maxLength: NUMBER_MAX_DIGITS,
};

const CURRENCY: Schema = {
  title: 'Currency',
  description: 'Three letters of ISO 4217.',
  type: 'string',
  pattern: '^[A-Z]{3}$',
};

const COUNTRY: Schema = {
  title: 'Country',
  description: 'Two letters of ISO 3166-1.',
  type: 'string',
  pattern: '^[A-Z]{2}$',
};

const ADDRESS = object('Address', 'Where a party is, or where goods go.', ['country'], {
  street: text('Street', 'Street and number, or a post box.', { en: 'BT-35, BT-50, BT-75', ubl: 'cbc:StreetName' }),
  street_2: text('Street, second line', 'What else it takes to find the place.', {
    en: 'BT-36, BT-51, BT-76',
    ubl: 'cbc:AdditionalStreetName',
  }),
  city: text('City', 'City or town.', { en: 'BT-37, BT-52, BT-77', ubl: 'cbc:CityName' }),
  postal_code: text('Postal code', 'Code of the postal area.', { en: 'BT-38, BT-53, BT-78', ubl: 'cbc:PostalZone' }),
  region: text('Region', 'State, province or canton.', { en: 'BT-39, BT-54, BT-79', ubl: 'cbc:CountrySubentity' }),
  country: partOf('country', 'Country', 'Country, as two letters of ISO 3166-1.', {
    en: 'BT-40, BT-55, BT-80',
    ubl: 'cac:Country/cbc:IdentificationCode',
  }),
});

const CONTACT = object('Contact', 'Whom to ask.', ['name'], {
  name: text('Name', 'Person or department.', { en: 'BT-41, BT-56', ubl: 'cbc:Name' }),
  phone: text('Phone', 'Number with the code of the country.', { en: 'BT-42, BT-57', ubl: 'cbc:Telephone' }),
  email: { ...text('E-mail', 'Mail address.', { en: 'BT-43, BT-58', ubl: 'cbc:ElectronicMail' }), format: 'email' },
});

const PARTY = object('Party', 'A business.', ['name'], {
  name: text('Name', 'Full name, as registered.', { en: 'BT-27, BT-44', ubl: 'cac:PartyLegalEntity/cbc:RegistrationName' }),
  handle: text('Handle', 'Handle at this service.'),
  address: partOf('address', 'Address', 'Postal address.', { en: 'BG-5, BG-8', ubl: 'cac:PostalAddress' }),
  tax_id: text('Tax number', 'VAT number, with the letters of the country.', {
    en: 'BT-31, BT-48',
    ubl: 'cac:PartyTaxScheme/cbc:CompanyID',
  }),
  registration_id: text('Registration number', 'Number in the register of companies.', {
    en: 'BT-30, BT-47',
    ubl: 'cac:PartyLegalEntity/cbc:CompanyID',
  }),
  contact: partOf('contact', 'Contact', 'Whom to ask about the document.', { en: 'BG-6, BG-9', ubl: 'cac:Contact' }),
});

const DELIVERY_PLACE = object('Place of delivery', 'Where the goods go.', ['address'], {
  name: text('Name', 'Who takes the goods.', { en: 'BT-70', ubl: 'cac:DeliveryParty/cac:PartyName/cbc:Name' }),
  address: partOf('address', 'Address', 'Where the goods are taken.', { en: 'BG-15', ubl: 'cac:DeliveryLocation/cac:Address' }),
});

const ADJUSTMENT = object('Discount or charge', 'An amount that the sum of the lines does not have.', ['amount'], {
  reason: text('Reason', 'What the amount is for, such as freight.', { en: 'BT-97, BT-104', ubl: 'cbc:AllowanceChargeReason' }),
  amount: decimal('Amount', 'Amount without tax, never negative.', { en: 'BT-92, BT-99', ubl: 'cbc:Amount' }),
  tax_rate: decimal('Tax rate', 'Percentage of the tax on it.', { en: 'BT-96, BT-103', ubl: 'cac:TaxCategory/cbc:Percent' }),
});

const TAX = object('Tax', 'The tax of one rate.', ['rate', 'net', 'tax'], {
  rate: decimal('Rate', 'Percentage, such as 19 or 5.5.', { en: 'BT-119', ubl: 'cac:TaxCategory/cbc:Percent' }),
  category: text('Category', 'Code of the kind of tax (UNTDID 5305), such as S for the standard rate.', {
    en: 'BT-118',
    ubl: 'cac:TaxCategory/cbc:ID',
  }),
  net: decimal('Net', 'Sum of all that is taxed at this rate.', { en: 'BT-116', ubl: 'cbc:TaxableAmount' }),
  tax: decimal('Tax', 'Net × rate, rounded.', { en: 'BT-117', ubl: 'cbc:TaxAmount' }),
  exemption_reason: text('Reason of exemption', 'Why no tax is due.', { en: 'BT-120', ubl: 'cac:TaxCategory/cbc:TaxExemptionReason' }),
});

const PAYMENT = object('Payment', 'How to pay.', [], {
  account: text('Account', 'IBAN, or another number of the account.', { en: 'BT-84', ubl: 'cac:PayeeFinancialAccount/cbc:ID' }),
  account_name: text('Account holder', 'Name of the account.', { en: 'BT-85', ubl: 'cac:PayeeFinancialAccount/cbc:Name' }),
  bank: text('Bank', 'BIC, or another number of the bank.', {
    en: 'BT-86',
    ubl: 'cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID',
  }),
  reference: text('Payment reference', 'What the payer repeats, so that the payee knows what was paid.', {
    en: 'BT-83',
    ubl: 'cbc:PaymentID',
  }),
});

/** The shared parts, by their names below `$defs`. */
export const PARTS: Readonly<Record<string, Schema | undefined>> = {
  decimal: DECIMAL,
  currency: CURRENCY,
  country: COUNTRY,
  address: ADDRESS,
  contact: CONTACT,
  party: PARTY,
  delivery_place: DELIVERY_PLACE,
  adjustment: ADJUSTMENT,
  tax: TAX,
  payment: PAYMENT,
};

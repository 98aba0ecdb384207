import { decimalIn, isScalar, rawText } from '../outline/shown-value.ts';
import { type Binding, fixed, group, type Members, money, number, quantity, text, type Written } from './binding.ts';

const VAT = group('cac:TaxScheme', [fixed('cbc:ID', 'VAT')]);

/** The rate as one text, so that 19 and 19.0 are the same. */
export function rateIn(members: Members, name: string): string | undefined {
  const value = members.get(name);
  return isScalar(value) ? decimalIn(value)?.toString() : undefined;
}

/** The code of the tax: that of the row in `taxes` with its rate, or that of the standard rate, or of zero. */
function categoryFor(members: Members, { taxCategories }: Written): string | undefined {
  const rate = rateIn(members, members.has('tax_rate') ? 'tax_rate' : 'rate');
  return rate === undefined ? undefined : (taxCategories.get(rate) ?? (rate === '0' ? 'Z' : 'S'));
}

const taxCategory = (element: string) => group(element, [fixed('cbc:ID', categoryFor), number('cbc:Percent', 'tax_rate'), VAT]);

const ADDRESS: readonly Binding[] = [
  text('cbc:StreetName', 'street'),
  text('cbc:AdditionalStreetName', 'street_2'),
  text('cbc:CityName', 'city'),
  text('cbc:PostalZone', 'postal_code'),
  text('cbc:CountrySubentity', 'region'),
  group('cac:Country', [text('cbc:IdentificationCode', 'country')]),
];

export const party = (element: string, property: string) =>
  group(
    `${element}/cac:Party`,
    [
      group('cac:PostalAddress', ADDRESS, { property: 'address' }),
      group('cac:PartyTaxScheme', [text('cbc:CompanyID', 'tax_id'), VAT]),
      group('cac:PartyLegalEntity', [text('cbc:RegistrationName', 'name'), text('cbc:CompanyID', 'registration_id')]),
      group('cac:Contact', [text('cbc:Name', 'name'), text('cbc:Telephone', 'phone'), text('cbc:ElectronicMail', 'email')], {
        property: 'contact',
      }),
    ],
    { property },
  );

/** The place and the day of the delivery, which are one element of UBL and several properties. */
export const delivery = (day: readonly Binding[], period: readonly Binding[]) =>
  group('cac:Delivery', [
    ...day,
    group('cac:DeliveryLocation', [group('cac:Address', ADDRESS, { property: 'address' })], { property: 'deliver_to' }),
    ...period,
    group('cac:DeliveryParty/cac:PartyName', [text('cbc:Name', 'name')], { property: 'deliver_to' }),
  ]);

export const requestedDelivery = group('cac:RequestedDeliveryPeriod', [text('cbc:EndDate', 'requested_delivery_date')]);

const adjustment = (property: string, isCharge: boolean, reason: string) =>
  group(
    'cac:AllowanceCharge',
    [
      fixed('cbc:ChargeIndicator', String(isCharge)),
      text('cbc:AllowanceChargeReason', 'reason', reason),
      money('cbc:Amount', 'amount'),
      taxCategory('cac:TaxCategory'),
    ],
    { property, isList: true, where: ['cbc:ChargeIndicator', String(isCharge)] },
  );

export const ADJUSTMENTS: readonly Binding[] = [adjustment('discounts', false, 'Discount'), adjustment('charges', true, 'Charge')];

const lineAdjustment = (property: string, isCharge: boolean, reason: string) =>
  group(
    'cac:AllowanceCharge',
    [fixed('cbc:ChargeIndicator', String(isCharge)), fixed('cbc:AllowanceChargeReason', reason), money('cbc:Amount', property)],
    { where: ['cbc:ChargeIndicator', String(isCharge)] },
  );

export const LINE_ADJUSTMENTS: readonly Binding[] = [
  lineAdjustment('discount', false, 'Discount'),
  lineAdjustment('charge', true, 'Charge'),
];

export const TAXES = group('cac:TaxTotal', [
  money('cbc:TaxAmount', 'tax_total'),
  group(
    'cac:TaxSubtotal',
    [
      money('cbc:TaxableAmount', 'net'),
      money('cbc:TaxAmount', 'tax'),
      group('cac:TaxCategory', [
        text('cbc:ID', 'category', categoryFor),
        number('cbc:Percent', 'rate'),
        text('cbc:TaxExemptionReason', 'exemption_reason'),
        VAT,
      ]),
    ],
    { property: 'taxes', isList: true },
  ),
]);

/** UBL demands an amount to pay, which an order does not have: there it is the total. */
export const totals = (element: string) =>
  group(element, [
    money('cbc:LineExtensionAmount', 'lines_total'),
    money('cbc:TaxExclusiveAmount', 'net_total'),
    money('cbc:TaxInclusiveAmount', 'total'),
    money('cbc:AllowanceTotalAmount', 'discount_total'),
    money('cbc:ChargeTotalAmount', 'charge_total'),
    money('cbc:PrepaidAmount', 'prepaid'),
    money('cbc:PayableRoundingAmount', 'rounding'),
    money('cbc:PayableAmount', 'payable', (members) => {
      const total = members.get('total');
      return isScalar(total) ? rawText(total) : undefined;
    }),
  ]);

export const ITEM = group('cac:Item', [
  text('cbc:Description', 'details'),
  text('cbc:Name', 'name'),
  group('cac:BuyersItemIdentification', [text('cbc:ID', 'buyer_sku')]),
  group('cac:SellersItemIdentification', [text('cbc:ID', 'sku')]),
  group('cac:StandardItemIdentification', [text('cbc:ID', 'gtin')]),
  taxCategory('cac:ClassifiedTaxCategory'),
]);

export const PRICE = group('cac:Price', [money('cbc:PriceAmount', 'price'), quantity('cbc:BaseQuantity', 'price_quantity')]);

export const LINE_ID = text('cbc:ID', 'id', (_, written) => String(written.number));

/** Currencies of ISO 4217 whose amounts do not have two digits behind the point. */
const MINOR_DIGITS: readonly [digits: number, currencies: string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];
const DIGITS_OF = new Map(MINOR_DIGITS.flatMap(([digits, currencies]) => currencies.split(' ').map((currency) => [currency, digits])));

/** The digits behind the point in amounts of a currency: two, unless the currency is known to have others. */
export function minorDigits(currency: string | undefined): number {
  return DIGITS_OF.get(currency ?? '') ?? 2;
}

import { snake } from '../../../packages/documents/src/names/snake.ts';

const CAPITALS = /\b(id|vat|po|sku|gtin|ean|iban|bic|url|ubl|hs|eori|lei|duns|uuid)\b/g;

/** The words of a key: `orderNumber` is “Order number”. */
export function labelOf(...keys: readonly string[]): string {
  const words = keys
    .map((key) => snake(key) || 'no name')
    .join(' ')
    .replaceAll('_', ' ')
    .trim()
    .replaceAll(CAPITALS, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Codes of UN/ECE Recommendation 20 and 21 that people know as words. */
const UNITS: Readonly<Record<string, string>> = {
  ...{
    C62: 'pcs',
    H87: 'pcs',
    EA: 'pcs',
    PCE: 'pcs',
    NMP: 'packs',
    PR: 'pairs',
    SET: 'sets',
    DZN: 'dozen',
    MIL: 'thousand',
    CEN: 'hundred',
  },
  ...{ KGM: 'kg', GRM: 'g', MGM: 'mg', TNE: 't', LBR: 'lb', ONZ: 'oz', LTR: 'l', MLT: 'ml', HLT: 'hl', GLL: 'gal' },
  ...{ MTR: 'm', CMT: 'cm', MMT: 'mm', KMT: 'km', INH: 'in', FOT: 'ft', MTK: 'm²', CMK: 'cm²', MTQ: 'm³', CMQ: 'cm³' },
  ...{
    SEC: 's',
    MIN: 'min',
    HUR: 'h',
    DAY: 'days',
    WEE: 'weeks',
    MON: 'months',
    ANN: 'years',
    KWH: 'kWh',
    MWH: 'MWh',
    WTT: 'W',
    KWT: 'kW',
  },
  ...{ BX: 'boxes', XBX: 'boxes', CT: 'cartons', XCT: 'cartons', PK: 'packs', XPK: 'packs', PA: 'packets', XPA: 'packets', RO: 'rolls' },
  ...{
    XRO: 'rolls',
    PF: 'pallets',
    XPX: 'pallets',
    XPF: 'pallets',
    BG: 'bags',
    XBG: 'bags',
    BO: 'bottles',
    XBO: 'bottles',
    E48: 'service units',
  },
};

export function unitWord(code: string): string {
  return Object.hasOwn(UNITS, code) ? (UNITS[code] ?? code) : code;
}

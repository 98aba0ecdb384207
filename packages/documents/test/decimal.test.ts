import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal, NUMBER_MAX_DIGITS } from '../src/index.ts';

const dec = (text: string): Decimal => Decimal.parse(text) ?? expect.fail(`${text} is no number`);

/** A number as text, with the integer and the scale that it stands for. */
const written = fc
  .record({ digits: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), scale: fc.integer({ min: 0, max: 12 }) })
  .map(({ digits, scale }) => {
    const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
    const sign = digits < 0n ? '-' : '';
    return { digits, scale, text: `${sign}${text.slice(0, text.length - scale)}${scale > 0 ? `.${text.slice(-scale)}` : ''}` };
  });

describe('a decimal', () => {
  test.each([
    ['0.1', '0.2', '0.3'],
    ['0.000000000001', '0.999999999999', '1'],
    ['999999999999999999999999999999.99', '0.01', '1000000000000000000000000000000'],
    ['1e3', '-0.5', '999.5'],
    ['1.5E-2', '0', '0.015'],
  ])('%s + %s is %s', (a, b, sum) => expect(dec(a).plus(dec(b)).toString()).toBe(sum));

  test.each([
    ['1', '3', 2, '0.33'],
    ['2', '3', 2, '0.67'],
    ['1', '8', 2, '0.13'],
    ['-1', '8', 2, '-0.13'],
    ['5', '-2', 0, '-3'],
    ['1', '3', 12, '0.333333333333'],
  ])('%s ÷ %s, rounded to %i digits, is %s', (a, b, scale, quotient) => {
    expect(dec(a).dividedBy(dec(b), scale)?.toString()).toBe(quotient);
  });

  test.each([
    ['2.005', 2, '2.01'],
    ['-2.005', 2, '-2.01'],
    ['2.0049', 2, '2'],
    ['2.5', 0, '3'],
    ['2', 2, '2'],
  ])('%s rounded to %i digits is %s', (text, scale, rounded) => expect(dec(text).rounded(scale).toString()).toBe(rounded));

  test('shows as many digits as are asked for, and all that it has', () => {
    expect([dec('12').toString(2), dec('12.500').toString(2), dec('0.005').toString(2), dec('-0.50').toString()]).toEqual([
      '12.00',
      '12.50',
      '0.005',
      '-0.5',
    ]);
  });

  test.each(['', ' 1', '1,5', '.5', '1.', '+1', '0x10', 'NaN', 'Infinity', '1e', '1e400', '-1e-400', '1e99999', '9'.repeat(61), '٣'])(
    'is not read from %j',
    (text) => expect(Decimal.parse(text)).toBeUndefined(),
  );

  test('has up to NUMBER_MAX_DIGITS digits', () => {
    expect(dec('9'.repeat(NUMBER_MAX_DIGITS)).toString()).toBe('9'.repeat(NUMBER_MAX_DIGITS));
    expect(Decimal.parse(`1e${NUMBER_MAX_DIGITS - 1}`)).toBeDefined();
    expect(Decimal.parse(`1e${NUMBER_MAX_DIGITS}`)).toBeUndefined();
  });

  test('divides by nothing but zero', () => expect(dec('1').dividedBy(dec('0.00'), 2)).toBeUndefined());
});

describe('for any numbers', () => {
  test('a number is read and shown without loss', () => {
    fc.assert(
      fc.property(written, ({ text, scale }) => {
        expect(dec(text).toString(scale)).toBe(/^-0(\.0*)?$/.test(text) ? text.slice(1) : text);
        expect(dec(dec(text).toString()).equals(dec(text))).toBe(true);
      }),
    );
  });

  test('sum, difference and product are those of integers at a common scale', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const [x, y] = [a.digits * 10n ** BigInt(b.scale), b.digits * 10n ** BigInt(a.scale)];
        const scale = a.scale + b.scale;
        expect(
          dec(a.text)
            .plus(dec(b.text))
            .equals(new Decimal(x + y, scale)),
        ).toBe(true);
        expect(
          dec(a.text)
            .minus(dec(b.text))
            .equals(new Decimal(x - y, scale)),
        ).toBe(true);
        expect(
          dec(a.text)
            .times(dec(b.text))
            .equals(new Decimal(a.digits * b.digits, scale)),
        ).toBe(true);
        expect(dec(a.text).compare(dec(b.text))).toBe(x < y ? -1 : x > y ? 1 : 0);
      }),
    );
  });

  test('a quotient differs from the exact one by half a unit at most, and a tie goes away from zero', () => {
    fc.assert(
      fc.property(written, written, fc.integer({ min: 0, max: 6 }), (a, b, scale) => {
        fc.pre(b.digits !== 0n);
        const quotient = dec(a.text).dividedBy(dec(b.text), scale) ?? expect.fail();
        // 2 × |a − q × b| is at most |b| units.
        const size = (value: Decimal) => (value.compare(Decimal.ZERO) < 0 ? value.times(-1) : value);
        const error = size(dec(a.text).minus(quotient.times(dec(b.text)))).times(2);
        const unit = size(dec(b.text)).times(Decimal.unit(scale));
        expect(error.compare(unit)).toBeLessThanOrEqual(0);
        const isTie = error.equals(unit);
        if (isTie) expect(size(quotient.times(dec(b.text))).compare(size(dec(a.text)))).toBe(1);
      }),
    );
  });
});

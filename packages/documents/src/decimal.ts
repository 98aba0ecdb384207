import { NUMBER_MAX_DIGITS } from './limits.ts';

const WRITTEN = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
/** Longer texts are refused before they are read: an exponent adds a few characters to the digits. */
const TEXT_MAX_CHARS = NUMBER_MAX_DIGITS + 8;

/** An exact decimal number: an integer, and how many of its digits stand behind the point. */
export class Decimal {
  static readonly ZERO = new Decimal(0n, 0);
  readonly #digits: bigint;
  readonly #scale: number;

  constructor(digits: bigint, scale: number) {
    this.#digits = digits;
    this.#scale = scale;
  }

  /** Reads `12`, `-0.50` or `1.5e3`. Undefined: the text is no number, or has more than NUMBER_MAX_DIGITS digits. */
  static parse(text: string): Decimal | undefined {
    const [, sign, whole = '', fraction = '', exponent = '0'] = (text.length <= TEXT_MAX_CHARS && WRITTEN.exec(text)) || [];
    const shift = Number(exponent);
    if (sign === undefined || whole.length + fraction.length + Math.abs(shift) > NUMBER_MAX_DIGITS) return undefined;
    const digits = BigInt(`${sign}${whole}${fraction}`);
    const scale = fraction.length - shift;
    return scale < 0 ? new Decimal(digits * powerOfTen(-scale), 0) : new Decimal(digits, scale);
  }

  /** The smallest amount with this many digits behind the point. */
  static unit(scale: number): Decimal {
    return new Decimal(1n, scale);
  }

  get isZero(): boolean {
    return this.#digits === 0n;
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.#scale, other.#scale);
    return new Decimal(this.#at(scale) + other.#at(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.#digits, other.#scale));
  }

  times(factor: Decimal | number): Decimal {
    if (typeof factor === 'number') return new Decimal(this.#digits * BigInt(factor), this.#scale);
    return new Decimal(this.#digits * factor.#digits, this.#scale + factor.#scale);
  }

  /** The quotient, rounded half up (away from zero) to this many digits behind the point. Undefined: the divisor is zero. */
  dividedBy(divisor: Decimal, scale: number): Decimal | undefined {
    if (divisor.isZero) return undefined;
    const isNegative = this.#digits < 0n !== divisor.#digits < 0n;
    const numerator = absolute(this.#digits) * powerOfTen(scale + divisor.#scale);
    const denominator = absolute(divisor.#digits) * powerOfTen(this.#scale);
    const rounded = (2n * numerator + denominator) / (2n * denominator);
    return new Decimal(isNegative ? -rounded : rounded, scale);
  }

  /** Rounds half up (away from zero), as invoices do. A number with fewer digits behind the point stays as it is. */
  rounded(scale: number): Decimal {
    return this.#scale <= scale ? this : (this.dividedBy(ONE, scale) ?? this);
  }

  compare(other: Decimal): -1 | 0 | 1 {
    const difference = this.minus(other).#digits;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  /** Whether the difference is at most the tolerance. */
  isWithin(tolerance: Decimal, other: Decimal): boolean {
    const difference = this.minus(other);
    return new Decimal(absolute(difference.#digits), difference.#scale).compare(tolerance) <= 0;
  }

  /** The number with at least this many digits behind the point, and no more zeros than that. */
  toString(scaleMin = 0): string {
    let [digits, scale] = [this.#digits, this.#scale];
    for (; scale > scaleMin && digits % 10n === 0n; scale--) digits /= 10n;
    const shown = Math.max(scale, scaleMin);
    const text = absolute(digits * powerOfTen(shown - scale))
      .toString()
      .padStart(shown + 1, '0');
    const point = text.length - shown;
    return `${digits < 0n ? '-' : ''}${text.slice(0, point)}${shown > 0 ? `.${text.slice(point)}` : ''}`;
  }

  #at(scale: number): bigint {
    return this.#digits * powerOfTen(scale - this.#scale);
  }
}

const ONE = new Decimal(1n, 0);

/** The powers that amounts and prices need, because computing one takes longer than what it is needed for. */
const POWERS = Array.from({ length: 12 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

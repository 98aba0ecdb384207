import { canonicalJson } from '../../../contract/canonical-json.ts';
import { ALLOWED_VALUES_MAX, ALLOWED_VALUES_MAX_CHARS } from '../../../contract/limits.ts';
import type { SchemaObject } from './documents.ts';
import { own } from './documents.ts';
import { numberFormat, stringFormat } from './formats.ts';
import type { Keyword, Site } from './keywords.ts';
import type { Check } from './node.ts';
import type { OwnersPart } from './run.ts';

const ofNumbers = (holds: (value: number) => boolean, keyword: string, message: string): Check => {
  return (value, run) => typeof value !== 'number' || holds(value) || run.fail(keyword, message);
};
const ofText = (holds: (value: string) => boolean, keyword: string, message: string): Check => {
  return (value, run) => typeof value !== 'string' || holds(value) || run.fail(keyword, message);
};

/** Keywords about a single value. Their own values are valid: the meta-schema is checked first. */
export const valueKeywords: Record<string, Keyword> = {
  type: ({ value }: Site<string | string[]>) => {
    const types = [value].flat();
    const message = `must be ${types.join(' or ')}`;
    return (instance, run) => types.some((type) => isOfType(instance, type)) || run.fail('type', message);
  },
  enum: ({ value: allowed }: Site<unknown[]>) => {
    const isScalar = allowed.every((item) => item === null || typeof item !== 'object');
    const texts = new Set(allowed.map(canonicalJson));
    // The sender reads the message, so it shows no value of the schema.
    const message = 'must be one of the values in the schema';
    const owners = namedTo(allowed);
    return (instance, run) => {
      const canBe = !isScalar || instance === null || typeof instance !== 'object';
      return (canBe && texts.has(canonicalJson(instance))) || run.fail('enum', message, owners);
    };
  },
  const: ({ value, dialect }) => {
    if (dialect === 4) return undefined;
    const text = canonicalJson(value);
    const owners = namedTo([value]);
    return (instance, run) => canonicalJson(instance) === text || run.fail('const', 'must be the value in the schema', owners);
  },
  multipleOf: ({ value }: Site<number>) => ofNumbers((number) => isMultiple(number, value), 'multipleOf', `must be a multiple of ${value}`),
  minimum: ({ value: limit, schema, dialect }: Site<number>) => {
    const excludes = dialect === 4 && own(schema, 'exclusiveMinimum') === true;
    if (excludes) return ofNumbers((number) => number > limit, 'exclusiveMinimum', `must be greater than ${limit}`);
    return ofNumbers((number) => number >= limit, 'minimum', `must be at least ${limit}`);
  },
  maximum: ({ value: limit, schema, dialect }: Site<number>) => {
    const excludes = dialect === 4 && own(schema, 'exclusiveMaximum') === true;
    if (excludes) return ofNumbers((number) => number < limit, 'exclusiveMaximum', `must be less than ${limit}`);
    return ofNumbers((number) => number <= limit, 'maximum', `must be at most ${limit}`);
  },
  exclusiveMinimum: ({ value, dialect }: Site<number>) =>
    dialect === 4 ? undefined : ofNumbers((number) => number > value, 'exclusiveMinimum', `must be greater than ${value}`),
  exclusiveMaximum: ({ value, dialect }: Site<number>) =>
    dialect === 4 ? undefined : ofNumbers((number) => number < value, 'exclusiveMaximum', `must be less than ${value}`),
  minLength: ({ value: least }: Site<number>) => {
    return ofText((text) => text.length >= least && lengthOf(text) >= least, 'minLength', `must have at least ${least} characters`);
  },
  maxLength: ({ value: most }: Site<number>) => {
    return ofText((text) => text.length <= most || lengthOf(text) <= most, 'maxLength', `must have at most ${most} characters`);
  },
  pattern: ({ value, patternOf }: Site<string>) => {
    const pattern = patternOf(value);
    const message = 'must match the pattern in the schema';
    const owners = value.length <= ALLOWED_VALUES_MAX_CHARS ? { pattern: value } : undefined;
    return (text, run) => {
      if (typeof text !== 'string') return true;
      const isValid = pattern.test(text);
      run.budget.step(text.length);
      return isValid || run.fail('pattern', message, owners);
    };
  },
  format: ({ value: name }: Site<string>) => {
    const message = `must be a valid ${name}`;
    const ofString = stringFormat(name);
    const ofNumber = numberFormat(name);
    if (ofString) return ofText(ofString, 'format', message);
    return ofNumber && ofNumbers(ofNumber, 'format', message);
  },
};

/** As many of the allowed values as an issue names: each issue of a message is stored with it. */
function namedTo(allowed: readonly unknown[]): OwnersPart {
  const named: unknown[] = [];
  let chars = 0;
  for (const value of allowed.slice(0, ALLOWED_VALUES_MAX)) {
    chars += canonicalJson(value).length;
    if (chars > ALLOWED_VALUES_MAX_CHARS) break;
    named.push(value);
  }
  return { allowed: named, allowed_count: allowed.length };
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

export function isRecord(value: unknown): value is SchemaObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The length in code points. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 1; i < text.length; i++) {
    const isLow = (text.charCodeAt(i) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) length--;
  }
  return length;
}

/** Compares the decimal notations, as a person would: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = decimalOf(value);
  const [divisorDigits, divisorExponent] = decimalOf(divisor);
  const least = Math.min(exponent, divisorExponent);
  return (digits * 10n ** BigInt(exponent - least)) % (divisorDigits * 10n ** BigInt(divisorExponent - least)) === 0n;
}

function decimalOf(value: number): [digits: bigint, exponent: number] {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  return [BigInt(`${whole}${fraction}`), Number(exponent) - fraction.length];
}

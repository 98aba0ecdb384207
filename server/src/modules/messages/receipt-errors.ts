import type { SchemaIssue } from '../../platform/json/schema-checker/checker.ts';

/** The text of a broken rule in a receipt. A rule that is not listed is named by the keyword alone. */
const MESSAGES: Readonly<Record<string, string>> = {
  type: 'does not have a type that the schema allows',
  enum: 'must be one of the values in the schema',
  const: 'must be the value in the schema',
  multipleOf: 'is not a multiple of the number in the schema',
  minimum: 'is too small',
  exclusiveMinimum: 'is too small',
  maximum: 'is too large',
  exclusiveMaximum: 'is too large',
  minLength: 'is too short',
  maxLength: 'is too long',
  pattern: 'must match the pattern in the schema',
  format: 'does not have the format that the schema names',
  minItems: 'has too few items',
  maxItems: 'has too many items',
  uniqueItems: 'has an item twice',
  contains: 'lacks items that the schema describes',
  maxContains: 'has too many of the items that the schema describes',
  minProperties: 'has too few properties',
  maxProperties: 'has too many properties',
  required: 'lacks a property that the schema requires',
  dependentRequired: 'lacks a property that the schema requires',
  dependencies: 'lacks a property that the schema requires',
  timeout: 'could not be checked in time',
  memory: 'could not be checked: it took too much memory',
};

/**
 * The schema errors that everybody with the receipt sees: where, and which rule, but nothing that the owner of the schema wrote. There are
 * no numbers, types, formats or names of properties.
 */
export function receiptErrors(errors: string): string {
  if (errors === '[]') return errors;
  const found: { path: string; keyword: string }[] = JSON.parse(errors);
  return JSON.stringify(found.map(({ path, keyword }) => ({ path, message: MESSAGES[keyword] ?? 'does not fit the schema', keyword })));
}

const HAS_VALUES = /,"(?:allowed|pattern)":/;

/** The schema errors as the sender sees them: without the values that the owner of the schema allows. */
export function withoutValues(errors: string): string {
  if (!HAS_VALUES.test(errors)) return errors;
  const found: SchemaIssue[] = JSON.parse(errors);
  return JSON.stringify(found.map(({ path, message, keyword }) => ({ path, message, keyword })));
}

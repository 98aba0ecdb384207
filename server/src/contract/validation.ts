import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { type Issue, invalid } from './errors.ts';

const ISSUES_MAX = 50;

/**
 * With more members or items than this, only the first problem is reported: reporting one for each would let a single request stall the
 * others.
 */
const COLLECTED_FROM_MAX = 1_000;

/** Bodies are checked literally. Query strings have only text, so numbers are parsed. */
const options = { strict: false, useDefaults: false, removeAdditional: false } as const;
const validators = (coerceTypes: boolean): Validators => ({
  stopping: new Ajv2020({ ...options, coerceTypes, allErrors: false }),
  collecting: new Ajv2020({ ...options, coerceTypes, allErrors: true }),
});
const ofBodies = validators(false);
const ofQueries = validators(true);

interface Validators {
  stopping: Ajv2020;
  collecting: Ajv2020;
}

export type Check = (value: unknown) => void;

export function bodyCheck(schema: TSchema, verbatim: readonly string[] = []): Check {
  return checkWith(ofBodies, schema, verbatim);
}

export function queryCheck(schema: TSchema): Check {
  return checkWith(ofQueries, schema, []);
}

function checkWith({ stopping, collecting }: Validators, schema: TSchema, verbatim: readonly string[]): Check {
  // Ajv compiles a schema when it is first used and caches the result: a service has some hundreds of schemas.
  return (value) => {
    const issues = textIssues(value, verbatim);
    const findFirst = stopping.compile(schema);
    if (!findFirst(value)) issues.push(...issuesFound(isLarge(value) ? findFirst : collecting.compile(schema), value));
    if (issues.length > 0) throw invalid(issues.slice(0, ISSUES_MAX));
  };
}

function issuesFound(validate: ValidateFunction, value: unknown): Issue[] {
  validate(value);
  return (validate.errors ?? []).filter(isUseful).map(toIssue);
}

function isLarge(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  const members = Object.values(value);
  return members.length > COLLECTED_FROM_MAX || members.some((member) => Array.isArray(member) && member.length > COLLECTED_FROM_MAX);
}

/** Finds texts that can't be stored: PostgreSQL's text has no NUL, and UTF-8 no half of a surrogate pair. */
export function textIssues(value: unknown, verbatim: readonly string[]): Issue[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  const issues: Issue[] = [];
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string' || verbatim.includes(key)) continue;
    const problem = text.includes('\0') ? 'the character U+0000' : text.isWellFormed() ? undefined : 'half of a surrogate pair';
    if (problem !== undefined) issues.push({ path: `/${pointerPart(key)}`, message: `must not contain ${problem}` });
  }
  return issues;
}

/** Ignores the problems of `null` in `a string or null`. */
function isUseful({ keyword, params }: ErrorObject): boolean {
  return keyword !== 'anyOf' && !(keyword === 'type' && params['type'] === 'null');
}

function toIssue({ instancePath, keyword, params, message }: ErrorObject): Issue {
  switch (keyword) {
    case 'additionalProperties':
      return { path: `${instancePath}/${pointerPart(params['additionalProperty'])}`, message: 'is not a field of this request' };
    case 'required':
      return { path: `${instancePath}/${pointerPart(params['missingProperty'])}`, message: 'is required' };
    case 'enum':
      return { path: instancePath, message: `must be one of ${params['allowedValues'].join(', ')}` };
    case 'maxLength':
      return { path: instancePath, message: `must have at most ${params['limit']} characters` };
    case 'type':
      return { path: instancePath, message: `must be ${[params['type']].flat().join(' or ')}` };
    default:
      return { path: instancePath, message: message ?? 'is not valid' };
  }
}

export function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

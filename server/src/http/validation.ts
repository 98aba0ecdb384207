import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { type Issue, invalid } from '../contract/errors.ts';

const ISSUES_MAX = 50;

/** Bodies are taken literally; query strings hold only text, so their numbers are read from it. */
const options = { allErrors: true, strict: false, useDefaults: false, removeAdditional: false } as const;
const ofBodies = new Ajv2020({ ...options, coerceTypes: false });
const ofQueries = new Ajv2020({ ...options, coerceTypes: true });

export type Check = (value: unknown) => void;

export function bodyCheck(schema: TSchema): Check {
  return checkWith(ofBodies.compile(schema), '');
}

export function queryCheck(schema: TSchema): Check {
  return checkWith(ofQueries.compile(schema), '');
}

function checkWith(validate: ValidateFunction, base: string): Check {
  return (value) => {
    const issues = textIssues(value, base);
    if (!validate(value)) issues.push(...(validate.errors ?? []).map(toIssue));
    if (issues.length > 0) throw invalid(issues.slice(0, ISSUES_MAX));
  };
}

/** NUL has no place in PostgreSQL's text, and half a surrogate pair none in UTF-8. */
export function textIssues(value: unknown, base: string): Issue[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, text]) => {
    const path = `${base}/${pointerPart(key)}`;
    if (typeof text !== 'string') return [];
    if (text.includes('\0')) return [{ path, message: 'must not contain the character U+0000' }];
    return text.isWellFormed() ? [] : [{ path, message: 'must not contain half of a surrogate pair' }];
  });
}

function toIssue({ instancePath, keyword, params, message }: ErrorObject): Issue {
  switch (keyword) {
    case 'additionalProperties':
      return { path: `${instancePath}/${pointerPart(params.additionalProperty)}`, message: 'is not a field of this request' };
    case 'required':
      return { path: `${instancePath}/${pointerPart(params.missingProperty)}`, message: 'is required' };
    case 'enum':
      return { path: instancePath, message: `must be one of ${params.allowedValues.join(', ')}` };
    case 'maxLength':
      return { path: instancePath, message: `must have at most ${params.limit} characters` };
    case 'type':
      return { path: instancePath, message: `must be ${[params.type].flat().join(' or ')}` };
    default:
      return { path: instancePath, message: message ?? 'is not valid' };
  }
}

function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

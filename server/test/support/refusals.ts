import { expect } from 'vitest';
import { type ErrorCode, errorCatalogue } from '../../src/contract/errors.ts';
import type { ApiResponse } from './api.ts';

export function expectRefusal(response: ApiResponse, code: ErrorCode): void {
  expect([response.status, response.body?.error?.code], response.text).toEqual([errorCatalogue[code][0], code]);
  const { message, request_id, details } = response.body.error;
  expect(message).toMatch(/\S/);
  expect(request_id).toBe(response.headers.get('x-request-id'));
  if (code === 'validation_error') expect(details[0].message, response.text).toMatch(/\S/);
}

/** Expects a validation error whose first issue is about this field. */
export function expectInvalid(response: ApiResponse, field: string): void {
  expectRefusal(response, 'validation_error');
  expect(response.body.error.details[0].path, response.text).toBe(`/${field}`);
}

/** The response without parts that differ between requests: everything by which an observer could distinguish two cases. */
export function withoutTraces({ status, headers, text }: ApiResponse): { status: number; headers: Record<string, string>; text: string } {
  const kept = Object.fromEntries(headers);
  const requestId = kept['x-request-id'] ?? '';
  delete kept['x-request-id'];
  delete kept['date'];
  delete kept['waybill-promise'];
  return { status, headers: kept, text: requestId === '' ? text : text.replaceAll(requestId, 'req_') };
}

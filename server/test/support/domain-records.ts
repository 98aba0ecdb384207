import { expect } from 'vitest';
import type { ApiResponse } from './api.ts';
import type { MemberApi } from './member.ts';
import type { NameServer } from './name-server.ts';

export const request = (by: MemberApi, domain: string): Promise<ApiResponse> => by.post('/domains', { domain });
export const check = (by: MemberApi, domain: string): Promise<ApiResponse> => by.post(`/domains/${domain}/check`);

/** Requests a domain, and returns the record for its DNS. */
export async function requested(by: MemberApi, domain: string): Promise<{ name: string; value: string }> {
  const response = await request(by, domain);
  expect(response.status, response.text).toBe(201);
  return response.body.record;
}

export async function verified(by: MemberApi, names: NameServer, domain: string): Promise<{ name: string; value: string }> {
  const record = await requested(by, domain);
  names.set(record.name, { txt: [record.value] });
  const response = await check(by, domain);
  expect(response.body?.state, response.text).toBe('verified');
  return record;
}

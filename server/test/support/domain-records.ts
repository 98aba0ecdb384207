import { expect } from 'vitest';
import type { Answered } from './api.ts';
import type { MemberApi } from './member.ts';
import type { NameServer } from './name-server.ts';

/** A domain as a business sees it: answers of `/v1/domains`. */
export const request = (by: MemberApi, domain: string): Promise<Answered> => by.post('/domains', { domain });
export const check = (by: MemberApi, domain: string): Promise<Answered> => by.post(`/domains/${domain}/check`);

/** Says that a domain is one's own, and gives the record that is to stand in its DNS. */
export async function requested(by: MemberApi, domain: string): Promise<{ name: string; value: string }> {
  const answer = await request(by, domain);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.record;
}

/** Publishes the record and has it found. */
export async function verified(by: MemberApi, names: NameServer, domain: string): Promise<{ name: string; value: string }> {
  const record = await requested(by, domain);
  names.set(record.name, { txt: [record.value] });
  const answer = await check(by, domain);
  expect(answer.body?.state, answer.text).toBe('verified');
  return record;
}

import { expect } from 'vitest';
import type { Role } from '../../src/contract/members.ts';
import type { ApiResponse } from './api.ts';
import type { Browser } from './browser.ts';
import { MemberApi } from './member.ts';
import { mailsFor, signInWithCode } from './people.ts';
import type { TestService } from './service.ts';

type Behind = Pick<TestService, 'sql' | 'url'>;

export function tryClaim(person: Browser, handle: string, display_name = `The ${handle} company`): Promise<ApiResponse> {
  return person.post('/v1/businesses', { handle, display_name });
}

export async function claimedBy(service: Behind, email: string, handle: string): Promise<MemberApi> {
  const person = await signInWithCode(service, email);
  const response = await tryClaim(person, handle);
  expect(response.status, response.text).toBe(201);
  return new MemberApi(person, handle);
}

/** Returns the token of the newest invitation to the mailbox. */
export async function invitationToken(service: Behind, email: string): Promise<string> {
  const links = (await mailsFor(service, email)).map((text) => /\/invitations\/([\w-]+)/.exec(text)?.[1]);
  return links.findLast((token) => token !== undefined) ?? '';
}

export function accept(person: Browser, token: string): Promise<ApiResponse> {
  return person.request('POST', `/v1/account/invitations/${token}`);
}

export async function joinedBy(
  service: Behind,
  by: MemberApi,
  email: string,
  role: Role,
  segment: string | null = null,
): Promise<MemberApi> {
  const invited = await by.post('/invitations', { email, role, segment });
  expect(invited.status, invited.text).toBe(201);
  const person = await signInWithCode(service, email);
  const response = await accept(person, await invitationToken(service, email));
  expect(response.status, response.text).toBe(200);
  return new MemberApi(person, by.handle);
}

/** Returns the usr_ id of a member. */
export async function personIdOf({ browser }: MemberApi): Promise<string> {
  return (await browser.get('/v1/account')).body.id;
}

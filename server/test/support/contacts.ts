import { expect } from 'vitest';
import type { Api, ApiResponse } from './api.ts';
import { everyPage, list } from './pages.ts';

// biome-ignore lint/suspicious/noExplicitAny: contacts with parties of every shape
type ContactBody = any;

export const NO_ACTIVITY = {
  first_seen_at: null,
  last_seen_at: null,
  last_direction: null,
  messages_in: 0,
  messages_out: 0,
  types: [],
  actors: [],
};

export function save(api: Api, body: unknown): Promise<ApiResponse> {
  return api.write('POST', '/contacts', body);
}

export async function saved(api: Api, body: object): Promise<ContactBody> {
  const response = await save(api, body);
  expect([200, 201], response.text).toContain(response.status);
  return response.body;
}

export async function archive(api: Api, id: string): Promise<ContactBody> {
  const response = await api.patch(`/contacts/${id}`, { archived: true });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

export function byParty(api: Api, name: object): Promise<ApiResponse> {
  return list(api, '/contacts/by-party', name as Record<string, string>);
}

/** Returns the contact of a business with a handle. */
export async function known(api: Api, handle: string): Promise<ContactBody> {
  const response = await byParty(api, { handle });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

/** Identifies contacts by handle, domain or address. */
export function names(contacts: ContactBody[]): string[] {
  return contacts.map(({ party }) => party.handle ?? party.domain ?? party.email);
}

export async function listedContacts(api: Api, filters: Record<string, string | number> = {}): Promise<ContactBody[]> {
  return (await everyPage(api, '/contacts', filters)).flat();
}

export async function listed(api: Api, filters: Record<string, string | number> = {}): Promise<string[]> {
  return names(await listedContacts(api, filters));
}

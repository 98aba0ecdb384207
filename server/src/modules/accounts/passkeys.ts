import type { Person } from '../../contract/people.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';
import type { AuthResponse } from './web-bridge.ts';

/** A passkey proves as much as the sign-in of the session in which it was added. */
export async function notePasskeyProof(database: Queryable, person: Person, added: AuthResponse): Promise<void> {
  const { id } = JSON.parse(String(added.body)) as { id: string };
  await store.notePasskeyProof(database, person, id);
}

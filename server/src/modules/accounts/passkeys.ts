import type { Person } from '../../contract/people.ts';
import type { Queryable } from '../../platform/postgres.ts';
import * as store from './store.ts';
import type { AuthResponse } from './web-bridge.ts';

/** A passkey stands for the way in which its person had signed in, and shows as much and no more. */
export async function notePasskeyProof(database: Queryable, person: Person, added: AuthResponse): Promise<void> {
  const { id } = JSON.parse(String(added.body)) as { id: string };
  await store.notePasskeyProof(database, person, id);
}

import type { Person } from '../../contract/people.ts';
import type { Answer } from '../../http/endpoint.ts';
import type { Queryable } from '../../platform/postgres.ts';
import * as store from './store.ts';

/** A passkey stands for the way in which its person had signed in, and shows as much and no more. */
export async function notePasskeyProof(database: Queryable, person: Person, added: Answer): Promise<void> {
  const { id } = JSON.parse(String(added.body)) as { id: string };
  await store.notePasskeyProof(database, person, id);
}

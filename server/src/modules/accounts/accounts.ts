import { invalid, Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { PERSON_NAME_MAX_CHARS } from '../../contract/limits.ts';
import type { Person } from '../../contract/people.ts';
import { withoutUnseen } from '../../contract/visible-text.ts';
import type { Queryable } from '../../platform/postgres.ts';
import { nameOf } from './identity.ts';
import * as store from './store.ts';

export type { Account, Session } from './store.ts';
export const { listSessions, deleteOtherSessions: endOtherSessions } = store;

export async function getAccount(database: Queryable, { id }: Person): Promise<store.Account> {
  const account = await store.findAccount(database, id);
  if (!account) throw new Refusal('unauthorized', 'This account no longer exists.');
  return account;
}

export async function renamePerson(database: Queryable, person: Person, text: string): Promise<store.Account> {
  if (withoutUnseen(text).trim() === '') throw invalid([{ path: '/name', message: `must have 1 to ${PERSON_NAME_MAX_CHARS} characters` }]);
  await store.rename(database, person.id, nameOf(text));
  return getAccount(database, person);
}

/** Takes effect in every process with the next request, because each request reads its session from the database. */
export async function endSession(database: Queryable, person: Person, id: string): Promise<void> {
  const sessionId = parseId('ses', id);
  const found = sessionId !== undefined && (await store.deleteSession(database, person.id, sessionId));
  if (!found) throw new Refusal('not_found', 'The session was not found.');
}

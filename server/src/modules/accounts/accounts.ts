import { checkedDisplayName } from '../../contract/display-names.ts';
import { Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { PERSON_NAME_MAX_CHARS } from '../../contract/limits.ts';
import type { MailFrequency, Person } from '../../contract/people.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';

export type { Account, Session } from './store.ts';
export const { listSessions, deleteOtherSessions: endOtherSessions } = store;

export async function getAccount(database: Queryable, { id }: Person): Promise<store.Account> {
  const account = await store.findAccount(database, id);
  if (!account) throw new Refusal('unauthorized', 'This account no longer exists.');
  return account;
}

interface AccountChange {
  name?: string;
  notification_mail?: MailFrequency;
}

export async function changeAccount(database: Database, person: Person, change: AccountChange): Promise<store.Account> {
  const { notification_mail: frequency } = change;
  const name = change.name === undefined ? undefined : checkedDisplayName(change.name, '/name', PERSON_NAME_MAX_CHARS);
  return database.transaction(async (tx) => {
    if (name !== undefined) await store.rename(tx, person.id, name);
    if (frequency !== undefined) await store.setNotificationMail(tx, person.id, frequency);
    return getAccount(tx, person);
  });
}

/** Takes effect in every process with the next request, because each request reads its session from the database. */
export async function endSession(database: Queryable, person: Person, id: string): Promise<void> {
  const sessionId = parseId('ses', id);
  const found = sessionId !== undefined && (await store.deleteSession(database, person.id, sessionId));
  if (!found) throw new Refusal('not_found', 'The session was not found.');
}

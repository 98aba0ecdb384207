import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, newClient } from './database-hosts.ts';

const NOTIFY_PATIENCE_MS = 5_000;

/** The connection can't be used. The message says which setting to change. */
class NoSessions extends Error {}

/**
 * Rejects a connection on which LISTEN does not last, such as through a pooler in transaction mode. Revoked keys would go on working there,
 * and deliveries would wait for the next sweep. To test it, one connection listens and another one notifies it.
 */
export async function requireSessions(connection: Connection, setting: string): Promise<void> {
  const [listener, notifier] = [newClient(connection), newClient(connection)];
  try {
    await Promise.all([listener.connect(), notifier.connect()]);
    const channel = `waybill_start_${randomBytes(8).toString('hex')}`;
    const notified = new Promise<boolean>((resolve) => listener.once('notification', () => resolve(true)));
    await listener.query(`LISTEN ${channel}`);
    await notifier.query(`NOTIFY ${channel}`);
    if (await Promise.race([notified, sleep(NOTIFY_PATIENCE_MS, false, { ref: false })])) return;
  } catch (error) {
    // The stack of a socket's error names no caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  } finally {
    await Promise.all([listener.end(), notifier.end()]).catch(() => {});
  }
  throw new NoSessions(
    `${setting} leads through a pooler on which LISTEN does not last: set DATABASE_DIRECT_URL to PostgreSQL itself, or the pooler to session mode.`,
  );
}

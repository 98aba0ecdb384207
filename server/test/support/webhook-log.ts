import { expect, vi } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import type { Api } from './api.ts';
import type { TestService } from './service.ts';

export interface CreatedWebhook {
  id: string;
  secret: string;
}

export interface LoggedAttempt {
  id: string;
  webhook_id: string;
  message_id: string;
  event_id: string;
  event: string;
  replay: boolean;
  attempt: number;
  status: 'pending' | 'delivered' | 'retrying' | 'dropped' | 'failed';
  status_code: number | null;
  response_ms: number | null;
  error: string | null;
  created_at: string;
  attempted_at: string | null;
  next_attempt_at: string | null;
}

export async function createWebhook(api: Api, url: string, fields: object = {}): Promise<CreatedWebhook> {
  const { status, text, body } = await api.write('POST', '/webhooks', { url, ...fields });
  expect(status, text).toBe(201);
  return body;
}

/** Marks the endpoint as proven, so that it may get more than one attempt at a time and is not paused. */
export async function hasSucceeded({ sql }: TestService, { id }: { id: string }): Promise<void> {
  await sql('UPDATE webhooks SET first_success_at = now() WHERE id = $1', [parseId('wh', id)]);
}

export async function logOf(api: Api, webhookId: string): Promise<LoggedAttempt[]> {
  const { status, text, body } = await api.get(`/webhooks/${webhookId}/deliveries?limit=200`);
  expect(status, text).toBe(200);
  return body.data.toReversed();
}

/** Waits for this many attempts, and returns them. Also for concurrent tests, where expect.poll does not work. */
export function attemptsOf(api: Api, webhookId: string, count: number, timeoutMs = 60_000): Promise<LoggedAttempt[]> {
  return vi.waitFor(
    async () => {
      const made = (await logOf(api, webhookId)).filter(({ status }) => status !== 'pending');
      if (made.length < count) throw new Error(`${made.length} of ${count} attempts were made`);
      return made;
    },
    { timeout: timeoutMs, interval: 25 },
  );
}

/** The end of an attempt, in milliseconds since 1970. */
export function endOf({ attempted_at, response_ms }: LoggedAttempt): number {
  return Date.parse(attempted_at ?? '') + (response_ms ?? Number.NaN);
}

/** Makes the pending attempt of a webhook due in this many seconds. Returns the time. */
export async function dueIn({ sql }: TestService, { id }: { id: string }, seconds: number): Promise<number> {
  const [row] = await sql<{ ms: number }>(
    `UPDATE webhook_attempts SET due_at = now() + make_interval(secs => $2)
      WHERE status = 'pending' AND webhook_id = $1 RETURNING extract(epoch FROM due_at)::float8 * 1000 AS ms`,
    [parseId('wh', id), seconds],
  );
  if (!row) throw new Error('no attempt is pending');
  return row.ms;
}

export async function dueTimes({ sql }: TestService, { id }: { id: string }): Promise<number[]> {
  const rows = await sql<{ ms: number }>(
    `SELECT extract(epoch FROM due_at)::float8 * 1000 AS ms FROM webhook_attempts WHERE status = 'pending' AND webhook_id = $1`,
    [parseId('wh', id)],
  );
  return rows.map(({ ms }) => ms);
}

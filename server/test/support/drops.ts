import { expect } from 'vitest';
import type { ApiResponse } from './api.ts';
import type { Browser } from './browser.ts';
import { MemberApi } from './member.ts';
import type { TestService } from './service.ts';
import { announcement, put } from './transfer.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
export type Envelope = any;

/** Sends a drop as the signed-in person. A string is sent unchanged. */
export function drop(person: Browser, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return person.post('/v1/drops', body, { headers });
}

export async function dropped(person: Browser, body: unknown, headers: Record<string, string> = {}): Promise<Envelope> {
  const response = await drop(person, body, headers);
  expect(response.status, response.text).toBe(201);
  return response.body;
}

export async function uploadForDrop(person: Browser, bytes: string): Promise<string> {
  const { status, text, body } = await person.post('/v1/drops/uploads', announcement({ size_bytes: Buffer.byteLength(bytes) }));
  expect(status, text).toBe(201);
  expect((await put(body, bytes)).status).toBe(200);
  return body.upload_id;
}

export async function claim(person: Browser, handle: string): Promise<MemberApi> {
  const response = await person.post('/v1/businesses', { handle, display_name: `The ${handle} company` });
  expect(response.status, response.text).toBe(201);
  return new MemberApi(person, handle);
}

/** Changes a person's sessions as if they had been opened in another way, because no identity provider is available. */
export async function setSessions({ sql }: TestService, email: string, provider: string, proves: string): Promise<void> {
  const rows = await sql(
    `UPDATE sessions SET provider = $2::sign_in_provider, proves = $3::sign_in_proof
      WHERE person_id = (SELECT id FROM people WHERE email = $1) RETURNING id`,
    [email, provider, proves],
  );
  expect(rows).not.toEqual([]);
}

/** Lists the queued jobs of one chore, oldest first. */
export async function queued<Payload = Record<string, string>>({ sql }: Pick<TestService, 'sql'>, task: string): Promise<Payload[]> {
  const jobs = await sql<{ payload: Payload }>(
    `SELECT j.payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
      WHERE t.identifier = $1 ORDER BY j.id`,
    [task],
  );
  // Jobs of a shard are there until a worker passes them on.
  const inShards = await sql<{ payload: Payload }>('SELECT payload FROM queued_jobs WHERE name = $1 ORDER BY id', [task]);
  return [...jobs, ...inShards].map(({ payload }) => payload);
}

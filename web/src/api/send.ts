import { useMutation, useQueryClient } from '@tanstack/react-query';
import { randomKey } from '../../../packages/client/src/random-key.ts';
import { useActiveBusiness } from './business.ts';
import { call, JsonText, type WaybillError } from './client.ts';
import { forget } from './queries.ts';
import type { Envelope } from './schema.ts';

/**
 * Sends a message at most once: after a lost response, even after a reload, the retry has the same idempotency key. An edited message gets a new key,
 * and so does the same message by another person (by).
 */
export function useSend(door: 'POST /v1/messages' | 'POST /v1/drops', by = '') {
  const queries = useQueryClient();
  // A message that waits for the network is sent by the business it was written for, not by the one that is active then.
  const business = useActiveBusiness();
  const forBusiness = business === undefined ? undefined : { 'waybill-business': business };
  return useMutation<Envelope, WaybillError, string>({
    mutationFn: (body) =>
      call(door, { body: new JsonText(body) }, { headers: { 'idempotency-key': keyFor(`${door} ${by} ${body}`), ...forBusiness } }),
    onSuccess: () => {
      sessionStorage.removeItem(PENDING);
      pending = undefined;
      return forget(queries, 'GET /v1/contacts', 'GET /v1/me');
    },
  });
}

const PENDING = 'waybill.tried';
let pending: { request: string; key: string } | undefined;

function keyFor(request: string): string {
  pending ??= JSON.parse(sessionStorage.getItem(PENDING) ?? 'null') ?? undefined;
  if (pending?.request === request) return pending.key;
  pending = { request, key: randomKey() };
  try {
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
  } catch {
    // The storage is full: the key lasts as long as the page.
  }
  return pending.key;
}

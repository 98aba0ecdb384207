import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ApiError, call, JsonText } from './client.ts';
import { forget } from './queries.ts';
import { randomKey } from './random-key.ts';
import type { Draft, Envelope } from './schema.ts';

/**
 * Sends a message, at most once: whoever tries again after an answer that never came repeats the same request under the same key,
 * even after a reload. What was changed meanwhile is another message, and has another key. So is what another person sends, by:
 * a colleague's key is not theirs.
 */
export function useSend(door: 'POST /v1/messages' | 'POST /v1/drops', by = '') {
  const queries = useQueryClient();
  return useMutation<Envelope, ApiError, string>({
    mutationFn: (body) =>
      call(door, { body: new JsonText(body) as unknown as Draft }, { headers: { 'idempotency-key': keyFor(`${door} ${by} ${body}`) } }),
    onSuccess: () => {
      sessionStorage.removeItem(TRIED);
      tried = undefined;
      return forget(queries, 'GET /v1/contacts', 'GET /v1/me');
    },
  });
}

const TRIED = 'waybill.tried';
/** The request that was made last, if no answer to it is known. */
let tried: { request: string; key: string } | undefined;

function keyFor(request: string): string {
  tried ??= JSON.parse(sessionStorage.getItem(TRIED) ?? 'null') ?? undefined;
  if (tried?.request === request) return tried.key;
  tried = { request, key: randomKey() };
  try {
    sessionStorage.setItem(TRIED, JSON.stringify(tried));
  } catch {
    // There is no room for it: then it is known as long as the page is there.
  }
  return tried.key;
}

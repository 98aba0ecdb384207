import { Readable } from 'node:stream';
import { EVENT_STREAM_MAX_MS } from '../../contract/limits.ts';
import { EVENT_STREAM, endpointsFor } from '../../http/endpoint.ts';
import type { Arrivals } from './arrivals.ts';

const { endpoint } = endpointsFor<{ arrivals: Arrivals }>();

export const events = endpoint({
  summary: 'Get notified of new messages and changed threads at once',
  description: `Server-sent events. Each event \`messages\` names the boxes that may have new messages, such as \`{"inbox":true,"outbox":false}\`. An event \`threads\` says that threads have changed: their status, assignee, labels or comments, or a new message is in GET /v1/threads. The first of both come at once. The stream ends after ${EVENT_STREAM_MAX_MS / 60_000} minutes: connect again. It ends at once when your key is revoked, your membership ends or you sign out.`,
  success: { status: 200, description: 'The stream.', contentType: EVENT_STREAM },
  errors: [],
  handle: async ({ arrivals }, { caller, request }) => ({
    headers: { 'content-type': EVENT_STREAM, 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    body: request.method === 'HEAD' ? Readable.from([]) : await arrivals.watch(caller, request.ip),
  }),
});

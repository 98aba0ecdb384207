import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { PLACE_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { filterFields as threadFilters } from '../threads/thread-schema.ts';
import type { ExportServices, Exports } from './export.ts';

const { endpoint } = endpointsFor<ExportServices & { exports: Exports }>();

const CONTENT_TYPES = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8; header=present' } as const;

export const download = endpoint({
  summary: 'Export a list',
  description:
    'All items of a list with its filters, as a stream: one JSON value a line, or CSV. It costs your rate a unit for each 100 items, or for each 64 KB if that is more; the stream waits when half of your burst is used up. `list=outbox` needs a key with scope read_write. Comments are in no export. If the connection closes before the end of the response, the list is incomplete: request it again. That also happens when the key is revoked, the member removed or the session ended meanwhile.',
  query: Type.Object(
    {
      list: Type.Optional(Type.Enum(['inbox', 'outbox', 'threads'], { description: 'inbox by default.' })),
      format: Type.Optional(Type.Enum(['ndjson', 'csv'], { description: 'ndjson by default.' })),
      include: Type.Optional(Type.Enum(['summary'], { description: 'summary: messages without `json`.' })),
      ...threadFilters,
      from: Type.Optional(Type.String({ maxLength: 320, description: 'As in the inbox and outbox.' })),
      to: Type.Optional(Type.String({ maxLength: 128, description: 'As in the inbox.' })),
      validation: Type.Optional(Type.Enum(['passed', 'failed', 'not_applicable'], { description: 'As in the inbox and outbox.' })),
      thread: Type.Optional(Type.String({ maxLength: PLACE_MAX_CHARS, description: 'As in the inbox and outbox.' })),
    },
    closed,
  ),
  success: { status: 200, description: 'The list.', contentType: CONTENT_TYPES.ndjson },
  errors: ['validation_error', 'forbidden', 'rate_limited'],
  handle: async (context, { caller, query: { list, format = 'ndjson', include, ...filters }, spend, untilAffordable, request }) => {
    const given = { format, filters, ...(list && { list }), ...(include && { include }) };
    const body = await context.exports.open(context, caller, given, { spend, untilAffordable });
    if (request.method === 'HEAD') body.destroy();
    const name = `${list ?? 'inbox'}.${format === 'csv' ? 'csv' : 'ndjson'}`;
    const headers = { 'content-type': CONTENT_TYPES[format], 'content-disposition': `attachment; filename="${name}"` };
    return { headers, body: request.method === 'HEAD' ? Readable.from([]) : body };
  },
});

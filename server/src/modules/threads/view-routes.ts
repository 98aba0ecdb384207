import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import { VIEW_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { chooseDigest, DIGEST_CHOICES } from './digests.ts';
import { rowsOf } from './thread-counts.ts';
import { CountSchema, countView, filterFields } from './thread-schema.ts';
import { changeView, createView, deleteView, listViews, type View, type ViewServices } from './views.ts';

const { endpoint, memberEndpoint } = endpointsFor<ViewServices>();

const FilterSchema = Type.Object(filterFields, { ...closed, description: 'The filters of GET /v1/threads.' });
const ViewSchema = Type.Object(
  {
    id: Type.String({ description: 'view_ id' }),
    name: Type.String(),
    filter: FilterSchema,
    shared: Type.Boolean({ description: 'Whether everybody of your business sees it.' }),
    mine: Type.Boolean({ description: 'Whether you have created it.' }),
    threads: CountSchema,
    digest: Type.Enum([...DIGEST_CHOICES], { description: 'How often you get a mail about new messages in its threads.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'View', ...closed, description: 'A saved filter of threads, with the number of threads that it has for you.' },
);
const nameField = Type.String({ minLength: 1, maxLength: VIEW_NAME_MAX_CHARS });
const idParams = Type.Object({ id: Type.String({ description: 'view_ id' }) });
const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;

export const list = endpoint({
  summary: 'List saved views with their counts',
  description: 'Your own, and those that your business shares.',
  success: { status: 200, description: 'All views.', schema: Type.Object({ data: Type.Array(ViewSchema) }, closed) },
  errors: [],
  handle: async (context, { caller, spend }) => {
    const views = await listViews(context, caller);
    spend({ rows: rowsOf(views.map(({ count }) => count)) });
    return { body: { data: views.map(viewView) } };
  },
});

export const create = endpoint({
  summary: 'Save a view',
  body: Type.Object({ name: nameField, filter: FilterSchema, shared: Type.Optional(Type.Boolean()) }, closed),
  success: { status: 201, description: 'The view.', schema: ViewSchema },
  errors: [...bodyErrors, 'conflict'],
  handle: async (context, { caller, body }) => ({ body: viewView(await createView(context, caller, body)) }),
});

export const change = endpoint({
  summary: 'Change a saved view',
  description: 'You can change what you have created. Admins can change every shared view.',
  params: idParams,
  body: Type.Object(
    { name: Type.Optional(nameField), filter: Type.Optional(FilterSchema), shared: Type.Optional(Type.Boolean()) },
    { ...closed, minProperties: 1 },
  ),
  success: { status: 200, description: 'The changed view.', schema: ViewSchema },
  errors: [...bodyErrors, 'not_found', 'conflict'],
  handle: async (context, { caller, params, body }) => ({ body: viewView(await changeView(context, caller, params.id, body)) }),
});

export const digest = memberEndpoint({
  summary: 'Choose how often you get a mail about a saved view',
  description:
    'hourly (on the hour) or daily (at 07:00 UTC), if threads of the view have new messages that you have not read. The mail has their number and a link, and nothing of what was written.',
  params: idParams,
  body: Type.Object({ frequency: Type.Enum([...DIGEST_CHOICES]) }, closed),
  success: { status: 200, description: 'The view.', schema: ViewSchema },
  errors: [...bodyErrors, 'not_found', 'conflict'],
  handle: async (context, { caller, params, body }) => ({ body: viewView(await chooseDigest(context, caller, params.id, body.frequency)) }),
});

export const remove = endpoint({
  summary: 'Delete a saved view',
  params: idParams,
  success: { status: 204, description: 'Deleted.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async (context, { caller, params }) => {
    await deleteView(context, caller, params.id);
    return { status: 204 };
  },
});

function viewView({ row, isMine, count, digest }: View) {
  return {
    id: formatId('view', row.id),
    name: row.name,
    filter: row.filter,
    shared: row.is_shared,
    mine: isMine,
    threads: countView(count),
    digest,
    created_at: row.created_at.toISOString(),
  };
}

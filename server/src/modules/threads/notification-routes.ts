import { Type } from 'typebox';
import type { Cursors } from '../../contract/cursors.ts';
import { formatId } from '../../contract/ids.ts';
import { NOTIFICATIONS_KEPT_MAX, PAGE_MAX_ITEMS } from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { ColleagueSchema } from '../../contract/threads.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { colleagueView } from './colleagues.ts';
import { listNotifications, markNotificationsRead, type NotificationRow } from './notifications.ts';

const { endpoint } = endpointsFor<{ database: Database; cursors: Cursors }>();

const NotificationSchema = Type.Object(
  {
    id: Type.String({ description: 'ntf_ id' }),
    kind: Type.Enum(['mention', 'assignment'], { description: 'mention: in a comment. assignment: a thread is yours now.' }),
    thread_id: Type.String(),
    subject: Type.Union([Type.String(), Type.Null()], { description: 'Of the thread.' }),
    comment_id: Type.Union([Type.String(), Type.Null()], { description: 'Of a mention.' }),
    by: ColleagueSchema,
    created_at: Type.String({ format: 'date-time' }),
    read: Type.Boolean(),
  },
  { $id: 'Notification', ...closed, description: 'A mention of you in a comment, or a thread that was assigned to you.' },
);

export const list = endpoint({
  summary: 'List your notifications, newest first',
  description: `Yours as a person, or your agent’s. The service keeps the newest ${NOTIFICATIONS_KEPT_MAX.toLocaleString('en')}.`,
  query: Type.Object({ ...pagingFields, unread: Type.Optional(Type.Boolean()) }, closed),
  success: { status: 200, description: 'A page of notifications.', schema: pageSchema(NotificationSchema) },
  errors: ['validation_error'],
  handle: async (context, { caller, query }) => {
    const { items, nextCursor } = await listNotifications(context, caller, query);
    return { body: { data: items.map(notificationView), next_cursor: nextCursor } };
  },
});

export const read = endpoint({
  summary: 'Mark notifications as read',
  description: 'Those with these ids, or all without `ids`.',
  body: Type.Object(
    { ids: Type.Optional(Type.Array(Type.String({ maxLength: 64, description: 'ntf_ id' }), { maxItems: PAGE_MAX_ITEMS })) },
    closed,
  ),
  success: {
    status: 200,
    description: 'Done.',
    schema: Type.Object({ read: Type.Integer({ description: 'The number that were unread before.' }) }, closed),
  },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'],
  handle: async ({ database }, { caller, body }) => ({ body: { read: await markNotificationsRead(database, caller, body.ids) } }),
});

function notificationView(row: NotificationRow) {
  return {
    id: formatId('ntf', row.id),
    kind: row.kind,
    thread_id: formatId('thr', row.thread_id),
    subject: row.subject,
    comment_id: row.comment_id && formatId('cmt', row.comment_id),
    by: colleagueView({ kind: row.by_kind, id: row.by_id, name: row.by_name }),
    created_at: row.created_at.toISOString(),
    read: row.read_at !== null,
  };
}

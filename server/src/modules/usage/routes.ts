import { Type } from 'typebox';
import { USAGE_DEFAULT_DAYS, USAGE_MAX_DAYS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { nextDay, type Quotas } from '../../contract/quotas.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { dailyUsageOf, limitedUntil, usageOf } from './usage.ts';
import { usageFields, usageView } from './usage-view.ts';

const { endpoint } = endpointsFor<{ database: Database; quotas: Quotas }>();

const time = Type.String({ format: 'date-time' });

const UsageSchema = Type.Object(
  {
    ...usageFields,
    new_account: Type.Union(
      [
        Type.Object(
          {
            used: Type.Integer({ description: 'Messages sent today.' }),
            limit: Type.Integer({ description: 'Messages per day.' }),
            resets_at: time,
            until: Type.String({ format: 'date-time', description: 'When the business no longer counts as new.' }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'The limit of a recently claimed business without a verified domain; null for others.' },
    ),
    days: Type.Array(
      Type.Object(
        {
          date: Type.String({ description: 'YYYY-MM-DD, in UTC.' }),
          sent: Type.Integer(),
          received: Type.Integer(),
          uploaded_bytes: Type.Integer(),
        },
        closed,
      ),
      { description: 'Oldest first, today last.' },
    ),
  },
  { $id: 'Usage', ...closed },
);

export const show = endpoint({
  summary: 'Get the usage of your business day by day, and its limits',
  query: Type.Object(
    {
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: USAGE_MAX_DAYS, description: `The number of days; ${USAGE_DEFAULT_DAYS} by default.` }),
      ),
    },
    closed,
  ),
  success: { status: 200, description: 'The usage of your business.', schema: UsageSchema },
  errors: ['validation_error'],
  handle: async ({ database, quotas }, { caller: { business }, query: { days: wanted = USAGE_DEFAULT_DAYS } }) => {
    const usage = await usageOf(database.of(business.id), business.id);
    const until = await limitedUntil(database, business.id, quotas);
    const days = await dailyUsageOf(database, business.id, wanted);
    return {
      body: {
        ...usageView(quotas, usage),
        new_account: until
          ? {
              used: days.at(-1)?.sent ?? 0,
              limit: quotas.newAccountDailyMessages,
              resets_at: nextDay(usage.today).toISOString(),
              until: until.toISOString(),
            }
          : null,
        days: days.map(({ date, sent, received, uploadedBytes }) => ({ date, sent, received, uploaded_bytes: uploadedBytes })),
      },
    };
  },
});

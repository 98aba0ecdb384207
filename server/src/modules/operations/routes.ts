import { Type } from 'typebox';
import { publicEndpoint } from '../../context.ts';
import { Refusal } from '../../contract/errors.ts';
import { MigrationMismatch, pendingMigrations } from '../../platform/migrate.ts';

const StatusSchema = Type.Object({ status: Type.Literal('ok') });

export const alive = publicEndpoint({
  summary: 'Whether the process lives',
  success: { status: 200, description: 'It does.', schema: StatusSchema },
  errors: [],
  handle: async () => ({ body: { status: 'ok' } }),
});

export const ready = publicEndpoint({
  summary: 'Whether requests can be served: the database responds, takes writes, and its migrations are in order',
  success: { status: 200, description: 'They can.', schema: StatusSchema },
  errors: [],
  handle: async ({ database }) => {
    const pending = await pendingMigrations(database).catch(notReady);
    if (pending.length > 0)
      throw new Refusal('unavailable', `Migrations are missing: ${pending.map(({ name }) => name).join(', ')}.`, { retryAfterS: 5 });
    await database.requireRoom();
    return { body: { status: 'ok' } };
  },
});

function notReady(error: unknown): never {
  throw error instanceof MigrationMismatch ? new Refusal('unavailable', error.message, { retryAfterS: 5 }) : error;
}

export const metrics = publicEndpoint({
  summary: 'Metrics in Prometheus’ text format',
  success: { status: 200, description: 'Metrics.', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
  errors: [],
  handle: async ({ metrics }) => ({ body: await metrics.metrics() }),
});

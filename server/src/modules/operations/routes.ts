import type { Registry } from 'prom-client';
import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { isFromThisMachine } from '../../http/this-machine.ts';
import { MigrationMismatch, pendingMigrations } from '../../platform/migrations/migrate.ts';
import type { StoreHealth } from '../../platform/objects/object-store.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { allMetrics } from '../../platform/processes/all-metrics.ts';
import { isSameSecret } from '../../platform/secrets/same-secret.ts';

interface Services {
  database: Database;
  metrics: Registry;
  config: { metricsToken: string | undefined };
  transparencyLog: { fault(): Promise<string | null>; timestamps: { notice(): Promise<string | undefined> } };
  promises: { fault: string | null };
  objects: { health: StoreHealth };
}

const { publicEndpoint } = endpointsFor<Services>();

const StatusSchema = Type.Object({ status: Type.Literal('ok') });

const ReadySchema = Type.Object({
  status: Type.Literal('ok'),
  shards: Type.Optional(
    Type.String({
      description: 'Which shards of the database commit no writes at present, and their nodes. Businesses of other shards are served.',
    }),
  ),
  files: Type.Optional(
    Type.String({ description: 'Why the bucket can’t be used at present. Messages without files are delivered all the same.' }),
  ),
  log: Type.Optional(Type.String({ description: 'Why the log is not signed at present. Messages are delivered all the same.' })),
  timestamps: Type.Optional(Type.String({ description: 'That timestamps of the log end soon, and when.' })),
  promises: Type.Optional(
    Type.String({ description: 'Why responses of this process to sends have no promise at present. Messages are delivered all the same.' }),
  ),
});

export const alive = publicEndpoint({
  summary: 'Check whether the process is alive',
  success: { status: 200, description: 'The process is alive.', schema: StatusSchema },
  errors: [],
  handle: async () => ({ body: { status: 'ok' } }),
});

export const ready = publicEndpoint({
  summary: 'Check whether the service is ready: the database responds, commits writes and has all migrations, and the bucket was reached',
  success: { status: 200, description: 'The service is ready.', schema: ReadySchema },
  errors: [],
  handle: async ({ database, transparencyLog, promises, objects: { health } }) => {
    // It is not yet known whether the configured bucket exists.
    if (!health.wasReached) throw new Refusal('unavailable', health.fault, { retryAfterS: 5 });
    // A server that hangs takes longer for reads than for the probe.
    const [pending, shards] = await Promise.all([pendingMigrations(database).catch(notReady), failingShards(database)]);
    if (pending.length > 0)
      throw new Refusal('unavailable', `Migrations are missing: ${pending.map(({ name }) => name).join(', ')}.`, { retryAfterS: 5 });
    await database.requireRoom();
    const fault = await transparencyLog.fault();
    const timestamps = await transparencyLog.timestamps.notice();
    const files = health.fault;
    return {
      body: {
        status: 'ok',
        ...(shards !== undefined && { shards }),
        ...(files !== undefined && { files }),
        ...(fault !== null && { log: fault }),
        ...(timestamps !== undefined && { timestamps }),
        ...(promises.fault !== null && { promises: promises.fault }),
      },
    };
  },
});

/** Rejects if all shards fail. */
async function failingShards(database: Database): Promise<string | undefined> {
  const all = await database.writesByShard();
  const failing = all.filter(({ areCommitted }) => !areCommitted);
  if (failing.length === 0) return undefined;
  if (failing.length === all.length) throw new Refusal('unavailable', 'The database commits no writes.', { retryAfterS: 5 });
  const names = failing.map(({ shard, node }) => (node === undefined ? `${shard}` : `${shard} on ${node}`));
  return `No writes are committed in shard ${names.join(', ')}.`;
}

function notReady(error: unknown): never {
  throw error instanceof MigrationMismatch ? new Refusal('unavailable', error.message, { retryAfterS: 5 }) : error;
}

export const metrics = publicEndpoint({
  summary: 'Metrics in Prometheus’ text format',
  success: { status: 200, description: 'Metrics.', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
  errors: ['unauthorized', 'not_found'],
  handle: async ({ metrics, config }, { request }) => {
    if (!isFromThisMachine(request)) refuseWithoutToken(request.headers.authorization, config.metricsToken);
    return { headers: { 'cache-control': 'no-store' }, body: await allMetrics(metrics) };
  },
});

/** Metrics show how busy the service is, and with what, so they are protected. */
function refuseWithoutToken(authorization: string | undefined, token: string | undefined): void {
  if (token === undefined) throw new Refusal('not_found', 'The path was not found.');
  const given = /^Bearer ([!-~]+)$/i.exec(authorization ?? '')?.[1];
  if (given === undefined || !isSameSecret(given, token))
    throw new Refusal('unauthorized', 'Send the METRICS_TOKEN of this service as a bearer token.', {
      headers: { 'www-authenticate': 'Bearer' },
    });
}

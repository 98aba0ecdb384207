import type { Logger } from 'pino';
import { JOBS } from '../../contract/jobs-and-channels.ts';
import { WEBHOOK_EXCHANGES_MAX } from '../../contract/limits.ts';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { SealedSecretError } from '../../platform/secrets/secret-box.ts';
import * as store from './attempt-store.ts';
import { deleteExchanges, deleteOldExchanges, webhooksWithExchanges } from './exchange-store.ts';
import { releaseAttempts } from './order-store.ts';
import { forgetPreviousSecrets, renewSecrets, storedSecrets } from './secret-store.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

const BATCH = 10_000;
const SECRETS_BATCH = 500;
const NIL = '00000000-0000-0000-0000-000000000000';

interface OfWebhook {
  partyId: string;
  webhookId: string;
  /** Attempts up to this one have been released. */
  after?: string;
}

const keyOf = ({ partyId, webhookId }: OfWebhook) => ({ partyId: BigInt(partyId), webhookId });

const forgetWebhook: Chore<OfWebhook> = {
  name: JOBS.forgetWebhook,
  run: async (database, _log, job) => {
    const webhook = keyOf(job);
    const shard = database.of(webhook.partyId);
    if (await inPart(async () => (await store.deleteLog(shard, webhook, BATCH)) === BATCH)) return job;
    await deleteExchanges(shard, webhook);
    return undefined;
  },
};

const releaseWaiting: Chore<OfWebhook> = {
  name: JOBS.releaseAttempts,
  run: async (database, _log, job) => {
    const webhook = keyOf(job);
    let after: string | undefined = job.after ?? NIL;
    await inPart(async () => {
      after = await releaseAttempts(database.of(webhook.partyId), webhook, after ?? NIL, BATCH);
      return after !== undefined;
    });
    return after === undefined ? undefined : { ...job, after };
  },
};

export function webhookChores(logDays: number, secrets: WebhookSecrets): Chore[] {
  return [
    forgetWebhook,
    releaseWaiting,
    {
      name: 'encrypt-webhook-secrets',
      schedule: '17 * * * *',
      run: async (database, log) => {
        let encrypted = 0;
        for (const shard of database.shards) {
          await forgetPreviousSecrets(shard);
          encrypted += await encryptSecrets(shard, secrets, log);
        }
        if (encrypted > 0) log.info({ encrypted }, 'encrypted secrets of webhooks with the current key');
      },
    },
    {
      name: 'purge-delivery-log',
      schedule: '47 * * * *',
      run: async (database, log) => {
        let purged = 0;
        for (const shard of database.shards) {
          await store.deleteLeftRates(shard);
          await purgeExchanges(shard, logDays);
          for (const webhook of await store.webhooksWithLog(shard)) {
            // A message that was committed while its webhook was being deleted may have left an attempt behind.
            purged += webhook.exists ? await store.deleteOldEntries(shard, webhook, logDays) : await store.deleteLog(shard, webhook, BATCH);
          }
        }
        if (purged > 0) log.info({ purged }, 'removed old entries of the delivery log');
      },
    },
  ];
}

async function purgeExchanges(shard: Database, logDays: number): Promise<void> {
  for (const webhook of await webhooksWithExchanges(shard)) {
    if (webhook.exists) await deleteOldExchanges(shard, webhook, logDays, WEBHOOK_EXCHANGES_MAX);
    else await deleteExchanges(shard, webhook);
  }
}

/** Encrypts secrets that are plain, or encrypted with an older key. A webhook that is changed at the same time is left to the next run. */
async function encryptSecrets(shard: Database, secrets: WebhookSecrets, log: Logger): Promise<number> {
  let encrypted = 0;
  let after: store.WebhookKey = { partyId: 0n, webhookId: NIL };
  for (;;) {
    const page = await storedSecrets(shard, after, SECRETS_BATCH);
    for (const read of page) {
      try {
        const renewed = secrets.renew(read.webhookId, read);
        if (renewed && (await renewSecrets(shard, read, renewed))) encrypted++;
      } catch (error) {
        if (!(error instanceof SealedSecretError)) throw error;
        log.error(error, `the secret of the webhook ${read.webhookId} can't be read`);
      }
    }
    const last = page.at(-1);
    if (!last || page.length < SECRETS_BATCH) return encrypted;
    after = last;
  }
}

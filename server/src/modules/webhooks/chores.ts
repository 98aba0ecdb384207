import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs.ts';
import * as store from './attempt-store.ts';

const BATCH = 10_000;

export function webhookChores(logDays: number): Chore[] {
  return [
    {
      name: JOBS.forgetWebhook,
      run: async (database, _log, { partyId, webhookId }) => {
        const webhook = { partyId: BigInt(String(partyId)), webhookId: String(webhookId) };
        while ((await store.deleteLog(database.of(webhook.partyId), webhook, BATCH)) === BATCH);
      },
    },
    {
      name: 'purge-delivery-log',
      schedule: '47 * * * *',
      run: async (database, log) => {
        let purged = 0;
        for (const shard of database.shards)
          for (const webhook of await store.webhooksWithLog(shard)) {
            // A message that was delivered while its webhook was being deleted may have left an attempt behind.
            purged += webhook.exists ? await store.deleteOldEntries(shard, webhook, logDays) : await store.deleteLog(shard, webhook, BATCH);
          }
        if (purged > 0) log.info({ purged }, 'removed old entries of the delivery log');
      },
    },
  ];
}

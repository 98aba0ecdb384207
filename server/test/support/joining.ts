import { pino } from 'pino';
import { parseId } from '../../src/contract/ids.ts';
import { type HistoryToJoin, joinHistory } from '../../src/modules/joined-history/joined-history.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { openShards } from '../../src/platform/shards/shards.ts';
import { queued } from './drops.ts';
import { startTestService, type TestService } from './service.ts';

const log = pino({ level: 'fatal' });

/** A service without a worker: histories join when the test does it. */
export interface JoiningService extends TestService {
  /** Runs all jobs that were ever queued, again each time. */
  join(): Promise<void>;
  /** Lists the ledgers that have a message, by handle, domain or mailbox, without `except`. A ledger appears once for each entry. */
  holders(messageId: string, except: string): Promise<string[]>;
}

export async function startJoiningService(env: Record<string, string> = {}): Promise<JoiningService> {
  const service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', ...env }, 'api');
  const connection = { connectionString: service.databaseUrl };
  const database = new Database(connection, log);
  (await openShards(database, connection, log))();
  return {
    ...service,
    join: async () => {
      for (const payload of await queued<HistoryToJoin>(service, 'join-history'))
        for (let rest: HistoryToJoin | undefined = payload; rest; ) rest = await joinHistory.run(database, log, rest);
    },
    holders: async (messageId, except) => {
      const rows = await service.sql<{ name: string }>(
        `SELECT coalesce(p.handle, p.domain, p.email) AS name FROM ledger_entries e JOIN parties p ON p.id = e.party_id
          WHERE e.message_id = $1 ORDER BY name`,
        [parseId('msg', messageId)],
      );
      return rows.map(({ name }) => name).filter((name) => name !== except);
    },
    stop: async () => {
      await database.close();
      await service.stop();
    },
  };
}

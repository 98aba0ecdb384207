import pg from 'pg';
import { newAuthority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { startReceiver } from './receiver.ts';
import { startServiceUnderTest } from './service-process.ts';

/**
 * Samples what the connections of four processes wait for in PostgreSQL while each message has a webhook. The lock of NOTIFY, for which the
 * commits of notifying transactions wait, is `Lock object`. Sends must never wait for it.
 */
const PROCESSES = 4;
const SECONDS = 15;
const CONNECTIONS = 64;

const SAMPLE = `SELECT CASE WHEN query ~ 'commit_messages|receive_messages' THEN 'a send' WHEN query ~ 'pg_notify' THEN 'NOTIFY' ELSE 'other' END AS statement,
    coalesce(wait_event_type || ' ' || wait_event, 'nothing: it works') AS waits_for
  FROM pg_stat_activity WHERE application_name = 'waybill' AND state = 'active' AND pid <> pg_backend_pid()`;

export async function measureWaits(): Promise<void> {
  const authority = newAuthority();
  const receiver = await startReceiver(authority);
  const service = await startServiceUnderTest(authority, ['--processes', String(PROCESSES)]);
  const client = new pg.Client(service.connection);
  try {
    await client.connect();
    const [sender, subscriber] = [await service.createBusiness('sender'), await service.createBusiness('subscriber')];
    const response = await fetch(`http://127.0.0.1:${service.port}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${subscriber.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url('/hook') }),
    });
    receiver.learn('/hook', ((await response.json()) as { secret: string }).secret);
    const request = httpRequest(
      'POST',
      '/v1/messages',
      sender.key,
      `{"to":"subscriber","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`,
    );
    const counts = new Map<string, number>();
    let isOver = false;
    const sampling = (async () => {
      while (!isOver) {
        const { rows } = await client.query<{ statement: string; waits_for: string }>(SAMPLE);
        for (const { statement, waits_for } of rows) {
          const name = `${statement} waits for ${waits_for}`;
          counts.set(name, (counts.get(name) ?? 0) + 1);
        }
      }
    })();
    const load = { port: service.port, connections: CONNECTIONS, seconds: SECONDS, warmUpSeconds: 3 };
    const { perSecond } = await runLoad({ ...load, request: () => request, expectStatus: 201 });
    isOver = true;
    await sampling;
    console.log(`${PROCESSES} processes, ${Math.round(perSecond)} sends per second, each with a webhook. Samples of active connections:`);
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const sorted = [...counts].sort(([, a], [, b]) => b - a);
    console.table(sorted.map(([waits, samples]) => ({ waits, samples, share: `${((100 * samples) / all).toFixed(1)} %` })));
  } finally {
    await client.end();
    await service.stop();
    await receiver.stop();
  }
}

import { newAuthority } from '../server/test/support/certificates.ts';
import { startReceiver } from './receiver.ts';
import { startServiceUnderTest } from './service-process.ts';
import { BACKLOG, measureDrain, register, send } from './webhooks.ts';

const TURNS = 5;
/** The number of threads in the backlog. Null: the webhook is not ordered. With few threads, few requests can be open at a time. */
const CASES = [null, BACKLOG, 1_000, 100] as const;

/** Measures deliveries per second from a backlog to an ordered endpoint and to an unordered one, in turns. */
export async function measureOrdered(): Promise<void> {
  const authority = newAuthority();
  const receiver = await startReceiver(authority);
  const service = await startServiceUnderTest(authority);
  try {
    const [sender, subscriber] = [await service.createBusiness('sender'), await service.createBusiness('subscriber')];
    console.log(`sending ${BACKLOG.toLocaleString('en')} messages`);
    await send(service, sender, 'subscriber', BACKLOG);
    const webhookId = await register(service, receiver, subscriber, '/hook');
    const drain = async (threads: number | null) => {
      await service.sql.query('UPDATE webhooks SET ordered = $1', [threads !== null]);
      return measureDrain(service, receiver, subscriber, webhookId, threads);
    };
    await drain(null);
    const rates = CASES.map((): number[] => []);
    for (let turn = 0; turn < TURNS; turn++)
      for (const [i, threads] of CASES.entries()) {
        const perSecond = await drain(threads);
        rates[i]?.push(perSecond);
        console.log(`turn ${turn + 1} of ${TURNS}, ${nameOf(threads)}: ${Math.round(perSecond)} per second`);
      }
    const medians = rates.map((some) => some.toSorted((a, b) => a - b)[TURNS >> 1] ?? Number.NaN);
    const [unordered = Number.NaN] = medians;
    console.table(
      CASES.map((threads, i) => {
        const median = medians[i] ?? Number.NaN;
        return { webhook: nameOf(threads), 'per second': Math.round(median), ratio: (median / unordered).toFixed(2) };
      }),
    );
  } finally {
    await service.stop();
    await receiver.stop();
  }
}

function nameOf(threads: number | null): string {
  return threads === null ? 'not ordered' : `ordered, ${threads.toLocaleString('en')} threads`;
}

import { newAuthority } from '../server/test/support/certificates.ts';
import { median, processorTime } from './processes.ts';
import { startReceiver } from './receiver.ts';
import { startServiceUnderTest } from './service-process.ts';
import { BACKLOG, latency, measureDrain, register, send } from './webhooks.ts';

const ROUNDS = 7;
const SENDS_PER_SECOND = 1_000;
const FIGURES = ['perSecond', 'nodeUs', 'postgresUs', 'p50Ms', 'p99Ms', 'maxMs'] as const;

/**
 * Measures deliveries from a backlog, with their processor time, and the latency from the 201 response to the receiver. The cases take
 * turns in several rounds, and the medians count.
 */
export async function measureDeliveries(): Promise<void> {
  const authority = newAuthority();
  const receiver = await startReceiver(authority);
  const service = await startServiceUnderTest(authority);
  try {
    const [sender, subscriber] = [await service.createBusiness('sender'), await service.createBusiness('subscriber')];
    console.error(`· sending ${BACKLOG.toLocaleString('en')} messages`);
    await send(service, sender, 'subscriber', BACKLOG);
    const webhookId = await register(service, receiver, subscriber, '/hook');
    await measureDrain(service, receiver, subscriber, webhookId);
    const rounds: Record<(typeof FIGURES)[number], number>[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      console.error(`· round ${round} of ${ROUNDS}`);
      const before = processorTime(service.pid);
      const perSecond = await measureDrain(service, receiver, subscriber, webhookId);
      const after = processorTime(service.pid);
      const us = (kind: 'node' | 'postgres') => ((after[kind] - before[kind]) / BACKLOG) * 1e6;
      const [nodeUs, postgresUs] = [us('node'), us('postgres')];
      rounds.push({ perSecond, nodeUs, postgresUs, ...(await latency(service, receiver, sender, SENDS_PER_SECOND)) });
    }
    console.table(rounds.map(rounded));
    console.log(
      `\nMedians of ${ROUNDS} rounds: deliveries from a backlog of ${BACKLOG.toLocaleString('en')}, processor time for each in microseconds,`,
    );
    console.log(`and milliseconds from the 201 response to the receiver, at ${SENDS_PER_SECOND.toLocaleString('en')} sends per second`);
    console.table([rounded(Object.fromEntries(FIGURES.map((name) => [name, median(rounds.map((round) => round[name]))])))]);
  } finally {
    await service.stop();
    await receiver.stop();
  }
}

function rounded(figures: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, Math.round(figure * 10) / 10]));
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Outcome } from './attempt-request.ts';

const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function attemptMetrics(registry: Registry, countOpen: () => number) {
  const attempts = new Counter({
    name: 'waybill_webhook_attempts_total',
    help: 'Attempts made, by the first digit of the response’s status, or none.',
    // `answer` is the former name of `response`, until 0.4.
    labelNames: ['response', 'answer'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'waybill_webhook_attempt_duration_seconds',
    help: 'Time from the beginning of an attempt to the end of its response.',
    buckets: BUCKETS_S,
    registers: [registry],
  });
  new Gauge({
    name: 'waybill_webhook_attempts_under_way',
    help: 'Attempts under way.',
    registers: [registry],
    collect() {
      this.set(countOpen());
    },
  });
  return {
    observe: (made: readonly Outcome[]) => {
      for (const [kind, { length }] of Map.groupBy(made, kindOfResponse)) attempts.inc({ response: kind, answer: kind }, length);
      for (const { responseMs } of made) durations.observe(responseMs / 1000);
    },
  };
}

function kindOfResponse({ statusCode }: Outcome): string {
  return statusCode === null ? 'none' : `${Math.floor(statusCode / 100)}xx`;
}

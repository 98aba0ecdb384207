import { memo, useState } from 'react';
import { useReading } from '../../api/queries.ts';
import type { WebhookStatistics } from '../../api/schema.ts';
import { Chart } from '../../ui/chart.tsx';
import { clock, count, dayAndHour, duration, number, percent, utcDay } from '../../ui/format.ts';
import { useLastKnown } from '../../ui/last-known.ts';
import { Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { type Period, PeriodChoice } from './period-choice.tsx';

/** Days start at midnight UTC. */
const LABELS: Record<Period, { unit: string; format(start: Date): string; words: string }> = {
  '24h': { unit: 'Hour', format: clock, words: 'the last 24 hours' },
  '7d': { unit: '6 hours from', format: dayAndHour, words: 'the last 7 days' },
  '30d': { unit: 'Day (UTC)', format: utcDay, words: 'the last 30 days' },
};

export function Statistics({ id }: { id: string }) {
  const [period, setPeriod] = useState<Period>('24h');
  const { data, error, refetch } = useReading('GET /v1/webhooks/{id}/statistics', { path: { id }, query: { period } });
  // The charts of the previous period stay until the next ones are loaded.
  const shown = useLastKnown(data);
  return (
    <Section title="Performance" actions={<PeriodChoice value={period} onChange={setPeriod} />}>
      {error && !data ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {shown ? <Charts statistics={shown} /> : error ? null : <Loading rows={5} label="Loading statistics" />}
    </Section>
  );
}

const Charts = memo(function Charts({ statistics }: { statistics: WebhookStatistics }) {
  const { period, totals, buckets, counted_since } = statistics;
  const { unit, format, words } = LABELS[period];
  const labels = buckets.map(({ start }) => format(new Date(start)));
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
      <Chart
        title="Attempts"
        summary={successIn(totals, words)}
        unit={unit}
        labels={labels}
        series={[
          { name: 'Delivered', values: buckets.map(({ delivered }) => delivered), tone: 'good' },
          { name: 'Failed', values: buckets.map(({ failed }) => failed), tone: 'bad' },
        ]}
        shape="bars"
      />
      <Chart
        title="Response time"
        summary={latencyIn(totals)}
        unit={unit}
        labels={labels}
        series={[
          { name: 'p50', values: buckets.map(({ p50_ms }) => p50_ms), tone: 'accent' },
          { name: 'p95', values: buckets.map(({ p95_ms }) => p95_ms), tone: 'warn' },
        ]}
        shape="lines"
        format={duration}
      />
      {counted_since !== null ? (
        <p className="text-sm text-soft xl:col-span-2">
          Too many attempts to count all. Counted since <Time at={counted_since} isExact />.
        </p>
      ) : null}
    </div>
  );
});

type Totals = WebhookStatistics['totals'];

function successIn({ delivered, failed }: Totals, words: string): string {
  const all = delivered + failed;
  if (all === 0) return `No attempts in ${words}.`;
  if (failed === 0) return `${count(all, 'attempt')} in ${words}, all delivered.`;
  return `${count(all, 'attempt')} in ${words}: ${percent(delivered, all)} delivered, ${number(failed)} failed.`;
}

function latencyIn({ p50_ms, p95_ms }: Totals): string {
  if (p50_ms === null || p95_ms === null) return 'No responses yet.';
  return `p50 ${duration(p50_ms)}, p95 ${duration(p95_ms)}.`;
}

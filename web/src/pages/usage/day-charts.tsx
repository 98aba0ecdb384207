import { useMemo, useState } from 'react';
import type { Usage } from '../../api/schema.ts';
import { Chart } from '../../ui/chart.tsx';
import type { ChartSeries } from '../../ui/chart-series.ts';
import { Select } from '../../ui/field.tsx';
import { bytes, number, utcDay } from '../../ui/format.ts';
import { Section } from '../../ui/parts.tsx';

type Day = Usage['days'][number];

const SPANS = [30, 90] as const;

/** All days are loaded at once, so that changing the period needs no request. */
export function DayCharts({ days }: { days: readonly Day[] }) {
  const [span, setSpan] = useState<number>(SPANS[0]);
  const shown = useMemo(() => days.slice(-span), [days, span]);
  const labels = useMemo(() => shown.map(({ date }) => utcDay(new Date(`${date}T00:00:00Z`))), [shown]);
  const messages = useMemo<ChartSeries[]>(
    () => [
      { name: 'Sent', tone: 'accent', values: shown.map(({ sent }) => sent) },
      { name: 'Received', tone: 'edge', values: shown.map(({ received }) => received) },
    ],
    [shown],
  );
  const uploads = useMemo<ChartSeries[]>(
    () => [{ name: 'Uploaded', tone: 'accent', values: shown.map(({ uploaded_bytes }) => uploaded_bytes) }],
    [shown],
  );
  const sum = (of: (day: Day) => number) => shown.reduce((total, day) => total + of(day), 0);
  return (
    <Section
      title="Daily usage"
      actions={
        <Select label="Period" isBare value={span} onChange={({ target }) => setSpan(Number(target.value))} className="w-auto">
          {SPANS.map((count) => (
            <option key={count} value={count}>
              Last {count} days
            </option>
          ))}
        </Select>
      }
    >
      <div className="space-y-4">
        <Chart
          title="Messages"
          summary={`${number(sum(({ sent }) => sent))} sent and ${number(sum(({ received }) => received))} received in the last ${span} days.`}
          unit="Day"
          labels={labels}
          series={messages}
          shape="bars"
        />
        <Chart
          title="Uploads"
          summary={`${bytes(sum(({ uploaded_bytes }) => uploaded_bytes))} uploaded in the last ${span} days.`}
          unit="Day"
          labels={labels}
          series={uploads}
          shape="bars"
          format={bytes}
          steps="binary"
        />
      </div>
    </Section>
  );
}

import { useId } from 'react';
import type { WebhookStatistics } from '../../api/schema.ts';

export type Period = WebhookStatistics['period'];

const PERIODS: [Period, short: string, full: string][] = [
  ['24h', '24 h', '24 hours'],
  ['7d', '7 d', '7 days'],
  ['30d', '30 d', '30 days'],
];

export function PeriodChoice({ value, onChange }: { value: Period; onChange(period: Period): void }) {
  const name = useId();
  return (
    <fieldset className="flex rounded-lg border border-line p-0.5">
      <legend className="sr-only">Period</legend>
      {PERIODS.map(([period, short, full]) => (
        <label
          key={period}
          className="relative rounded-md px-2.5 py-0.5 text-sm text-soft hover:text-ink has-checked:bg-hover has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            aria-label={full}
            checked={period === value}
            onChange={() => onChange(period)}
            className="absolute inset-0 cursor-pointer appearance-none opacity-0"
          />
          {short}
        </label>
      ))}
    </fieldset>
  );
}

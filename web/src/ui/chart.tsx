import { useId, useState } from 'react';
import { Drawing } from './chart-drawing.tsx';
import type { ChartSeries } from './chart-series.ts';
import { number } from './format.ts';

interface ChartProps {
  title: string;
  summary: string;
  unit: string;
  labels: readonly string[];
  series: readonly ChartSeries[];
  /** Bars are stacked, the first series at the bottom. */
  shape: 'bars' | 'lines';
  format?: (value: number) => string;
  /** The steps of the vertical axis. Binary: for bytes. */
  steps?: 'decimal' | 'binary';
}

export function Chart({ title, summary, unit, labels, series, shape, format = number, steps = 'decimal' }: ChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const titleId = useId();
  const shown = pointed === null || pointed >= labels.length ? null : pointed;
  return (
    <figure aria-labelledby={titleId} className="rounded-xl border border-line p-4 sm:p-5">
      <figcaption>
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
          <p id={titleId} className="font-medium">
            {title}
          </p>
          <p aria-hidden className="flex flex-wrap gap-x-4 text-sm text-soft tabular-nums">
            {shown === null ? null : <span className="text-ink">{labels[shown]}</span>}
            {series.map(({ name, values, tone }) => (
              <span key={name} className="inline-flex items-center gap-1.5 whitespace-nowrap">
                <span className="size-2.5 rounded-xs" style={{ background: `var(--color-${tone})` }} />
                {name}
                {shown === null ? null : <span className="font-medium text-ink">{valueText(values[shown], format)}</span>}
              </span>
            ))}
          </p>
        </div>
        <p className="mt-1 text-sm text-soft">{summary}</p>
      </figcaption>
      <Drawing {...{ labels, series, shape, format, steps }} pointed={shown} onPoint={setPointed} />
      <details className="mt-3 text-sm">
        <summary className="w-fit rounded text-soft hover:text-ink">Show as table</summary>
        <div className="mt-3 overflow-x-auto">
          <table className="w-full tabular-nums">
            <thead>
              <tr className="border-b border-line text-left text-soft">
                <th scope="col" className="py-1.5 pr-4 font-medium">
                  {unit}
                </th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="py-1.5 pl-4 text-right font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, row) => (
                <tr key={label} className="border-b border-line last:border-0">
                  <th scope="row" className="py-1.5 pr-4 text-left font-normal whitespace-nowrap">
                    {label}
                  </th>
                  {series.map(({ name, values }) => (
                    <td key={name} className="py-1.5 pl-4 text-right whitespace-nowrap">
                      {valueText(values[row], format)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

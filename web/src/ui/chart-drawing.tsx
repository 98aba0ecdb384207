import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { ChartSeries } from './chart-series.ts';

interface DrawingProps {
  labels: readonly string[];
  series: readonly ChartSeries[];
  shape: 'bars' | 'lines';
  format(value: number): string;
  steps: 'decimal' | 'binary';
  pointed: number | null;
  onPoint(index: number | null): void;
}

const HEIGHT_PX = 192;
const EDGE_PX = { top: 8, right: 4, bottom: 28, left: 60 };
const LINE_APART_PX = 32;
const LETTER_PX = 7;
const LABEL_GAP_PX = 24;
const BAR_MAX_PX = 32;
/** The top of the axis when all values are zero. */
const LEAST_TOP = 4;
const STEPS = {
  decimal: Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat(),
  binary: Array.from({ length: 53 }, (_, power) => 2 ** power),
};

/** The drawing of a chart, as wide as its container. Hidden from screen readers, which have the summary and the table. */
export function Drawing({ labels, series, shape, format, steps, pointed, onPoint }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const bottom = HEIGHT_PX - EDGE_PX.bottom;
  const slot = (width - EDGE_PX.left - EDGE_PX.right) / Math.max(1, labels.length);
  const middleOf = (index: number) => EDGE_PX.left + (index + 0.5) * slot;

  const tops = shape === 'bars' ? labels.map((_, index) => sumTo(series, series.length, index)) : series.flatMap(({ values }) => values);
  const top = Math.max(LEAST_TOP, ...tops.map((value) => value ?? 0)) * 1.05;
  const heightOf = (value: number) => (value / top) * (bottom - EDGE_PX.top);
  const step = stepFor((top * LINE_APART_PX) / (bottom - EDGE_PX.top), STEPS[steps]);
  const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, nth) => nth * step);
  const labelPx = Math.max(...labels.map(({ length }) => length)) * LETTER_PX + LABEL_GAP_PX;
  const every = stepFor(labelPx / slot, STEPS.decimal);

  const point = ({ nativeEvent }: PointerEvent) => {
    const index = Math.floor((nativeEvent.offsetX - EDGE_PX.left) / slot);
    onPoint(index >= 0 && index < labels.length ? index : null);
  };
  return (
    <div ref={place} aria-hidden className="mt-4 h-48 overflow-hidden" onPointerMove={point} onPointerLeave={() => onPoint(null)}>
      {width > 0 ? (
        <svg width={width} height={HEIGHT_PX} className="pointer-events-none fill-soft text-xs tabular-nums" role="presentation">
          {lines.map((value) => (
            <g key={value} transform={`translate(0 ${bottom - heightOf(value)})`}>
              <line x1={EDGE_PX.left} x2={width - EDGE_PX.right} className="stroke-line" />
              <text x={EDGE_PX.left - 8} dy="0.35em" textAnchor="end">
                {format(value)}
              </text>
            </g>
          ))}
          {labels.map((label, index) =>
            index % every === 0 ? (
              <text key={label} x={middleOf(index)} y={HEIGHT_PX - 8} textAnchor={index === 0 && labelPx > slot ? 'start' : 'middle'}>
                {label}
              </text>
            ) : null,
          )}
          {pointed === null ? null : (
            <line x1={middleOf(pointed)} x2={middleOf(pointed)} y1={EDGE_PX.top} y2={bottom} className="stroke-edge" />
          )}
          {series.map(({ name, values, tone }, nth) => (
            <g key={name} style={{ color: `var(--color-${tone})` }} className="fill-current stroke-current">
              {shape === 'bars'
                ? values.map((value, index) => (
                    <rect
                      key={labels[index]}
                      strokeWidth={0}
                      x={middleOf(index) - barPx(slot) / 2}
                      y={bottom - heightOf(sumTo(series, nth + 1, index))}
                      width={barPx(slot)}
                      height={heightOf(value ?? 0)}
                    />
                  ))
                : lineOf(values, (value, index) => `${middleOf(index)} ${bottom - heightOf(value)}`, nth)}
            </g>
          ))}
        </svg>
      ) : null}
    </div>
  );
}

/** Lines differ by dashes as well as by colour. A missing value is a gap; a single value is a dot. */
function lineOf(values: ChartSeries['values'], at: (value: number, index: number) => string, nth: number) {
  let isDrawing = false;
  const path = values.map((value, index) => {
    if (value === null) {
      isDrawing = false;
      return '';
    }
    const command = isDrawing ? 'L' : 'M';
    isDrawing = true;
    return `${command}${at(value, index)}`;
  });
  const dots = values.map((value, index) => (value === null ? '' : `M${at(value, index)}h0`));
  return (
    <>
      <path d={path.join('')} fill="none" strokeWidth={2} strokeDasharray={nth > 0 ? '6 4' : undefined} />
      <path d={dots.join('')} fill="none" strokeWidth={5} strokeLinecap="round" />
    </>
  );
}

const barPx = (slot: number) => Math.min(BAR_MAX_PX, slot * 0.7);

/** The height of the first `count` series, stacked. */
function sumTo(series: readonly ChartSeries[], count: number, index: number): number {
  return series.slice(0, count).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
}

function stepFor(least: number, steps: readonly number[]): number {
  return steps.find((step) => step >= least) ?? steps.at(-1) ?? least;
}

function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const sized = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (place.current) sized.observe(place.current);
    return () => sized.disconnect();
  }, [place]);
  return width;
}

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartSeries } from './chart.tsx';

export interface PlotOptions {
  labels: readonly string[];
  series: readonly ChartSeries[];
  shape: 'bars' | 'lines';
  format(value: number): string;
  steps: 'decimal' | 'binary';
  /** Which label the pointer is at; null when it has gone. */
  onPoint(index: number | null): void;
}

export interface Plot {
  show(options: PlotOptions): void;
  remove(): void;
}

const LETTER_PX = 7;
const LABEL_GAP_PX = 24;
const STEPS = {
  decimal: Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat(),
  binary: Array.from({ length: 53 }, (_, power) => 2 ** power),
};
/** How far an axis goes when there is nothing to show. */
const LEAST_TOP = 4;

/** A drawing that keeps the width of its place and the colours of the page. Everything else about it is in chart.tsx. */
export function drawPlot(place: HTMLElement, options: PlotOptions): Plot {
  let drawn = draw(place, options);
  const sized = new ResizeObserver(() => drawn.setSize(sizeOf(place)));
  sized.observe(place);
  // Bars keep their colours along with their paths, so those are made anew, too.
  const recolour = () => drawn.redraw();
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', recolour);
  const chosen = new MutationObserver(recolour);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return {
    show: (changed) => {
      drawn.destroy();
      drawn = draw(place, changed);
    },
    remove: () => {
      sized.disconnect();
      chosen.disconnect();
      scheme.removeEventListener('change', recolour);
      drawn.destroy();
    },
  };
}

function draw(place: HTMLElement, { labels, series, shape, format, steps, onPoint }: PlotOptions): uPlot {
  const colour = (name: string) => () => colourIn(place, name);
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const isBars = shape === 'bars';
  const axis = { stroke: colour('soft'), font, ticks: { show: false } };
  const plot = new uPlot(
    {
      ...sizeOf(place),
      padding: [8, 4, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { show: !isBars } },
      scales: {
        // Room for the outer halves of the first and last bar, and of their labels.
        x: { time: false, range: () => [-0.6, labels.length - 0.4] },
        y: { range: (_, __, top) => [0, Math.max(LEAST_TOP, (top ?? 0) * 1.05)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 32,
          gap: 9,
          space: Math.max(...labels.map(({ length }) => length)) * LETTER_PX + LABEL_GAP_PX,
          incrs: STEPS.decimal,
          values: (_, at) => at.map((index) => labels[index] ?? ''),
        },
        {
          ...axis,
          size: 60,
          space: 32,
          incrs: STEPS[steps],
          grid: { stroke: colour('line'), width: 1 },
          values: (_, at) => at.map(format),
        },
      ],
      series: [{}, ...(isBars ? series.toReversed().map((one) => bar(one, colour)) : series.map((one, nth) => line(one, nth, colour)))],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    [labels.map((_, index) => index), ...(isBars ? stacked(series) : series.map(({ values }) => [...values]))],
    place,
  );
  const cursorLine = plot.root.querySelector<HTMLElement>('.u-cursor-x');
  if (cursorLine) cursorLine.style.borderColor = 'var(--color-edge)';
  return plot;
}

type Colour = (name: string) => () => string;

function bar({ tone }: ChartSeries, colour: Colour): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [0.7, 32], radius: 0.15 });
  return { fill: colour(tone), width: 0, points: { show: false }, ...(paths && { paths }) };
}

/** Told apart by more than their colours. */
function line({ tone }: ChartSeries, nth: number, colour: Colour): uPlot.Series {
  return { stroke: colour(tone), width: 2, points: { show: true, fill: colour(tone), size: 5 }, ...(nth > 0 && { dash: [6, 4] }) };
}

/** The whole first: what is drawn later stands before it, up to where it reaches. */
function stacked(series: readonly ChartSeries[]): number[][] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return sums.toReversed();
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ width: clientWidth, height: clientHeight });

/** A canvas knows no variables: the browser works out what a colour is in the scheme of the place. */
function colourIn(place: HTMLElement, name: string): string {
  const probe = place.appendChild(document.createElement('i'));
  probe.style.color = `var(--color-${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

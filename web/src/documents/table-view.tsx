import { useId, useMemo, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { count, number } from '../ui/format.ts';
import { useIsWide } from '../ui/media.ts';
import { Name } from '../ui/name.tsx';
import { type Cell, cellsOf } from './cells.ts';
import { Remarks, Shown } from './entries.tsx';
import type { Column, TablePart } from './sheet.ts';
import { useShown } from './shown.ts';

const ROWS_AT_FIRST = 50;
const ROWS_MORE = 500;
/** A phone shows lines one below the other. Wider tables scroll there, too. */
const STACKED_COLUMNS_MAX = 10;
const SHORT_CHARS = 24;

/** The rows of a table. Long tables are drawn in parts, because the browser would take seconds for 10,000 lines. */
export function TableView({ table, isSmall = false }: { table: TablePart; isSmall?: boolean }) {
  const { rows, columns, label } = table;
  const { isPrinting } = useShown();
  const [drawn, setDrawn] = useState(ROWS_AT_FIRST);
  const isWide = useIsWide();
  const id = useId();
  const isStacked = !isWide && !isPrinting && !isSmall && columns.length <= STACKED_COLUMNS_MAX;
  const shown = isPrinting ? rows : rows.slice(0, drawn);
  const left = rows.length - shown.length;
  return (
    <div>
      <p id={id} className="mb-1 flex items-baseline gap-2 text-sm font-medium">
        <Name>{label}</Name>
        {rows.length > 10 ? <span className="font-normal text-soft">{count(rows.length, 'row')}</span> : null}
        <Remarks node={table.node} />
      </p>
      {isStacked ? <Stacked table={table} rows={shown} name={id} /> : <Grid table={table} rows={shown} name={id} />}
      {left > 0 ? (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-sm text-soft print:hidden">
          <Button className="h-8" onClick={() => setDrawn(drawn + ROWS_MORE)}>
            Show {left > ROWS_MORE ? `${number(ROWS_MORE)} more` : `the other ${number(left)}`}
          </Button>
          {number(shown.length)} of {number(rows.length)} are shown.
        </p>
      ) : null}
    </div>
  );
}

interface RowsProps {
  table: TablePart;
  rows: readonly number[];
  /** The id of the table's label. */
  name: string;
}

/** The last amount of a line stays in sight while the columns before it scroll. */
const LAST_AMOUNT = 'last:sticky last:right-0 last:bg-paper last:pl-3 print:static!';

/** Paper doesn't scroll, so all columns share its width, and their texts wrap. */
const ON_PAPER = 'print:pr-2 print:whitespace-normal print:wrap-anywhere print:min-w-0';

function Grid({ table, rows, name }: RowsProps) {
  const { columns } = table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus
    // biome-ignore lint/a11y/useSemanticElements: a section with a name would be a landmark, and messages in a thread have many
    <div role="group" tabIndex={0} aria-labelledby={name} className="overflow-x-auto rounded-sm print:overflow-visible">
      <table aria-labelledby={name} className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-edge">
            {columns.map((column) => (
              <th
                key={column.names.join('\n')}
                scope="col"
                className={`py-1.5 pr-3 align-bottom @min-[44rem]:pr-5 text-xs font-medium whitespace-nowrap text-soft last:pr-0 @min-[44rem]:last:pr-0 ${ON_PAPER} ${column.isNumeric ? `text-right first:text-left ${LAST_AMOUNT}` : 'text-left'}`}
              >
                <Name>{column.label}</Name>
              </th>
            ))}
          </tr>
        </thead>
        {rows.map((row) => (
          <Row key={row} table={table} row={row} />
        ))}
      </table>
    </div>
  );
}

/** A row, and below it what has no column. Both are one body of the table, so that paper does not part them. */
function Row({ table, row }: { table: TablePart; row: number }) {
  const { reader } = useShown();
  const { cells, details } = useMemo(() => cellsOf(reader, table, row), [reader, table, row]);
  return (
    <tbody className="break-inside-avoid border-b border-line last:border-0">
      <tr>
        {cells.map(({ column, entry, length }) => (
          <td
            key={column.names.join('\n')}
            className={`py-2 pr-3 align-top last:pr-0 @min-[44rem]:pr-5 @min-[44rem]:last:pr-0 ${ON_PAPER} ${look(column, length)}`}
          >
            {entry ? <Shown entry={entry} /> : null}
          </td>
        ))}
      </tr>
      {details.length > 0 ? (
        <tr>
          <td colSpan={cells.length} className="pb-2 text-xs text-soft">
            <Details details={details} />
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

function look({ isNumeric }: Column, length: number): string {
  if (isNumeric) return `text-right first:text-left tabular-nums whitespace-nowrap ${LAST_AMOUNT}`;
  return length <= SHORT_CHARS ? 'whitespace-nowrap' : 'min-w-32 wrap-anywhere';
}

function Details({ details }: { details: readonly Cell[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-0.5">
      {details.map(({ column, entry }) =>
        entry ? (
          <li key={entry.node} className="min-w-0 wrap-anywhere">
            <Name>{column.label}</Name>:{' '}
            <span className="text-ink">
              <Shown entry={entry} />
            </span>
          </li>
        ) : null,
      )}
    </ul>
  );
}

/** Lines one below the other: what it is and its last number, and all else as a list. */
function Stacked({ table, rows, name }: RowsProps) {
  return (
    <ul aria-labelledby={name} className="divide-y divide-line border-y border-line">
      {rows.map((row) => (
        <StackedRow key={row} table={table} row={row} />
      ))}
    </ul>
  );
}

function StackedRow({ table, row }: { table: TablePart; row: number }) {
  const { reader } = useShown();
  const { cells, details } = useMemo(() => cellsOf(reader, table, row), [reader, table, row]);
  const filled = cells.filter(({ entry }) => entry !== undefined);
  const heading = filled.filter(({ column }) => !column.isNumeric).toSorted((a, b) => b.length - a.length)[0];
  const result = filled.findLast(({ column }) => column.isNumeric && column.kind === 'money');
  const others = filled.filter((cell) => cell !== heading && cell !== result);
  return (
    <li className="py-2.5">
      <p className="flex items-baseline gap-3">
        <span className="min-w-0 grow font-medium wrap-anywhere">{heading?.entry ? <Shown entry={heading.entry} /> : null}</span>
        {result?.entry ? (
          <span className="shrink-0 font-medium tabular-nums">
            <span className="sr-only">
              <Name>{result.column.label}</Name>{' '}
            </span>
            <Shown entry={result.entry} />
          </span>
        ) : null}
      </p>
      <div className="mt-0.5 text-xs text-soft">
        <Details details={[...others, ...details]} />
      </div>
    </li>
  );
}

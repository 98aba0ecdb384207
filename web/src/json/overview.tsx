import { useMemo, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { number } from '../ui/format.ts';
import { Name, Title } from '../ui/name.tsx';
import { useIsPrinting } from '../ui/printing.ts';
import type { JsonFact } from './facts.ts';
import { previewOf } from './preview.ts';
import { cellOf, cellText, isNumeric, type JsonTable } from './tables.ts';
import type { JsonTree } from './tree.ts';

export { factsOf } from './facts.ts';
export { tablesOf } from './tables.ts';

export function FactList({ facts, onGo }: { facts: readonly JsonFact[]; onGo(node: number): void }) {
  return (
    <dl aria-label="At a glance" className="flex flex-wrap gap-x-8 gap-y-3 border-b border-line bg-tint px-4 py-3">
      {facts.map(({ node, label, value }) => (
        <div key={node} className="min-w-0">
          <dt className="text-xs text-soft">
            <Title>{label}</Title>
          </dt>
          <dd className="min-w-0">
            <button
              type="button"
              title="Show in the tree"
              onClick={() => onGo(node)}
              className="max-w-full truncate rounded text-left font-medium tabular-nums hover:underline print:overflow-visible print:wrap-anywhere print:whitespace-normal"
            >
              <Name>{value}</Name>
            </button>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const ROWS_AT_FIRST = 8;
const ROWS_MAX = 300;
const CELL_CHARS = 120;
const PRINTED_CHARS = 2_000;
/** Paper doesn't scroll, so all columns share its width, and their texts wrap. */
const ON_PAPER = 'print:overflow-visible print:pr-2 print:wrap-anywhere print:whitespace-normal';

export function TableView({ tree, table }: { tree: JsonTree; table: JsonTable }) {
  const [isWhole, setWhole] = useState(false);
  const { name, columns, hiddenColumns, rows } = table;
  const numeric = useMemo(() => new Set(columns.filter((column) => isNumeric(tree, table, column))), [tree, table, columns]);
  const isPrinting = useIsPrinting();
  const shown = rows.slice(0, isWhole || isPrinting ? ROWS_MAX : ROWS_AT_FIRST);
  const title = name === '' ? 'Items' : name;
  return (
    <div className="border-b border-line">
      <p className="flex items-baseline gap-2 px-4 pt-3 pb-1 text-sm">
        <Name className="font-medium">{title}</Name>
        <span className="text-soft">
          {rows.length === 1 ? '1 row' : `${number(rows.length)} rows`}
          {hiddenColumns === 0 ? '' : `, ${columns.length} of ${columns.length + hiddenColumns} columns. All are in the tree below.`}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus */}
      <section tabIndex={0} aria-label={`Table ${title}`} className="max-h-96 overflow-auto px-4 pb-3 -outline-offset-2">
        <table className="min-w-[min(100%,40rem)] border-collapse text-sm">
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className={`border-b border-line py-1.5 pr-6 font-medium whitespace-nowrap text-soft last:pr-0 ${ON_PAPER} ${numeric.has(column) ? 'text-right' : 'text-left'}`}
                >
                  <Name>{cut(column, CELL_CHARS)}</Name>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row} className="border-b border-line last:border-0">
                {columns.map((column) => (
                  <td
                    key={column}
                    className={`max-w-80 truncate py-1.5 pr-6 align-top last:pr-0 ${ON_PAPER} ${numeric.has(column) ? 'text-right font-mono tabular-nums' : ''}`}
                  >
                    <Cell tree={tree} node={cellOf(tree, row, column)} charsMax={isPrinting ? PRINTED_CHARS : CELL_CHARS} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < rows.length ? (
        <p className="px-4 pb-3 text-sm text-soft">
          {isWhole || isPrinting ? (
            `Showing ${ROWS_MAX} of ${number(rows.length)} rows. All are in the tree below.`
          ) : (
            <Button className="h-8" onClick={() => setWhole(true)}>
              Show all {number(rows.length)}
            </Button>
          )}
        </p>
      ) : null}
    </div>
  );
}

function Cell({ tree, node, charsMax }: { tree: JsonTree; node: number | undefined; charsMax: number }) {
  if (node === undefined) return null;
  const shown = cellText(tree, node);
  if (!shown) return <Name className="font-mono text-xs text-soft">{previewOf(tree, node)}</Name>;
  return <Name className={tree.kind(shown.node) === 'word' ? 'text-soft' : ''}>{cut(shown.text, charsMax)}</Name>;
}

const cut = (text: string, charsMax: number): string => (text.length > charsMax ? `${text.slice(0, charsMax)}…` : text);

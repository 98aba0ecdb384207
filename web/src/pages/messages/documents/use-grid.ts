import { type KeyboardEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

export const ROW_PX = 36;
const SHOWN_PX = 384;
const OVERSCAN_ROWS = 6;

export interface Place {
  row: number;
  column: number;
}

interface GridSize {
  /** Without the empty row at the end. */
  rows: number;
  columns: number;
  onMoveRow(from: number, to: number): void;
  onRemoveRow(row: number): void;
}

/** The place in a table, what is drawn of it, and the keys that move as in a spreadsheet. */
export function useGrid({ rows, columns, onMoveRow, onRemoveRow }: GridSize) {
  const scroller = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>();
  const [top, setTop] = useState(0);
  /** Where a run of Tabs began: Enter goes on below it. */
  const tabbedFrom = useRef<number>(undefined);
  const first = Math.max(0, Math.floor(top / ROW_PX) - OVERSCAN_ROWS);
  const last = Math.min(rows, Math.ceil((top + SHOWN_PX) / ROW_PX) + OVERSCAN_ROWS);
  const drawn = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  // The row with the focus stays, however far somebody scrolls.
  const kept = place && place.row <= rows && (place.row < first || place.row > last) ? [place.row] : [];
  const go = (row: number, column: number) => {
    flushSync(() => setPlace({ row, column }));
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`);
    cell?.focus();
    if (cell instanceof HTMLInputElement) cell.select();
  };
  const tab = (event: KeyboardEvent<HTMLElement>, row: number, column: number) => {
    tabbedFrom.current ??= column;
    const next = row * columns + column + (event.shiftKey ? -1 : 1);
    // Before the first cell and behind the last one, Tab leaves the table.
    if (next < 0 || next >= (rows + 1) * columns) return;
    event.preventDefault();
    go(Math.floor(next / columns), next % columns);
  };
  const move = (event: KeyboardEvent<HTMLElement>, row: number, column: number) => {
    const to = rowTo(event, row);
    if (to === undefined || to < 0 || to >= rows || row >= rows) return;
    event.preventDefault();
    if (to === row) {
      onRemoveRow(row);
      go(Math.max(0, Math.min(row, rows - 1)), column);
    } else {
      onMoveRow(row, to);
      go(to, column);
    }
  };
  const onKey = (event: KeyboardEvent<HTMLInputElement | HTMLSelectElement>, row: number, column: number) => {
    const { key, currentTarget } = event;
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    if (event.altKey) move(event, row, column);
    else if (key === 'Tab') tab(event, row, column);
    else if (key === 'Enter') {
      event.preventDefault();
      const to = event.shiftKey ? row - 1 : row + 1;
      if (to >= 0 && to <= rows) go(to, tabbedFrom.current ?? column);
      tabbedFrom.current = undefined;
    } else {
      const next = arrowTo(key, currentTarget, row, column);
      if (!next || next.row < 0 || next.row > rows || next.column < 0 || next.column >= columns) return;
      event.preventDefault();
      tabbedFrom.current = undefined;
      go(next.row, next.column);
    }
  };
  return {
    scroller,
    place,
    setPlace,
    drawn: [...kept, ...drawn].toSorted((a, b) => a - b),
    onScroll: () => setTop(scroller.current?.scrollTop ?? 0),
    shownPx: SHOWN_PX,
    go,
    onKey,
  };
}

/** The row that Alt and a key move a row to. The same row: it goes. */
function rowTo({ key }: KeyboardEvent<HTMLElement>, row: number): number | undefined {
  return { ArrowUp: row - 1, ArrowDown: row + 1, Delete: row, Backspace: row }[key];
}

/** Arrows move in the text first, unless all of it is selected. In a choice, up and down choose. */
function arrowTo(key: string, cell: HTMLInputElement | HTMLSelectElement, row: number, column: number): Place | undefined {
  if (cell instanceof HTMLSelectElement) return { ArrowLeft: { row, column: column - 1 }, ArrowRight: { row, column: column + 1 } }[key];
  const { selectionStart, selectionEnd, value } = cell;
  const isAll = selectionStart === 0 && selectionEnd === value.length;
  if (key === 'ArrowUp') return { row: row - 1, column };
  if (key === 'ArrowDown') return { row: row + 1, column };
  if (key === 'ArrowLeft' && (isAll || selectionEnd === 0)) return { row, column: column - 1 };
  if (key === 'ArrowRight' && (isAll || selectionStart === value.length)) return { row, column: column + 1 };
  return undefined;
}

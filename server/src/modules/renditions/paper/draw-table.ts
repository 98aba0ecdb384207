import { type OutlineTable, shownText } from '@waybill/documents';
import { type Block, type Paper, SOFT, WIDTH } from './paper.ts';

const SIZE = 8;
const GAP = 8;
/** Rows whose texts decide about the widths of columns. */
const MEASURED_ROWS = 200;
const MEASURED_CHARS = 60;
const COLUMN_MIN = 26;
const MONEY_MAX = WIDTH / 4;

interface Column {
  label: string;
  isNumber: boolean;
  x: number;
  width: number;
}

/** A table whose head is repeated on each page. What a row has beside its cells follows below it. */
export function drawTable(paper: Paper, table: OutlineTable, currency: string | undefined): void {
  const texts = table.rows.map(({ cells }) =>
    cells.map((value, i) => (value === undefined ? '' : shownText(value, table.columns[i]?.format, currency))),
  );
  const columns = placed(paper, table, texts.slice(0, MEASURED_ROWS));
  const cell = ({ x, width, isNumber }: Column, text: string, more: Partial<Block> = {}): Block => ({
    ...{ text, x, width, isRight: isNumber, size: SIZE },
    ...more,
  });
  const head = () => {
    paper.row(columns.map((column) => cell(column, column.label, { isBold: true, colour: SOFT })));
    paper.space(2);
    paper.rule();
    paper.space(4);
  };
  paper.need(60);
  paper.text({ text: table.title, isBold: true, size: 10 });
  paper.space(4);
  head();
  paper.onNewPage = head;
  const indent = columns[1]?.x ?? 0;
  for (const [i, { details }] of table.rows.entries()) {
    paper.row(columns.map((column, at) => cell(column, texts[i]?.[at] ?? '')));
    const below = details.map(({ label, value, format }) => `${label}: ${shownText(value, format, currency)}`);
    if (below.length > 0) paper.text({ text: below.join(' · '), x: indent, width: WIDTH - indent, size: SIZE - 1, colour: SOFT });
    paper.space(4);
  }
  paper.onNewPage = undefined;
  paper.rule();
  paper.space(10);
}

/** Numbers get the width that they need, texts share what is left. */
function placed(paper: Paper, { columns }: OutlineTable, texts: readonly string[][]): Column[] {
  const wanted = columns.map(({ label, format }, i) => {
    const isNumber = format !== undefined;
    const widths = texts.map((row) => paper.width((row[i] ?? '').slice(0, MEASURED_CHARS), { size: SIZE }));
    const natural = Math.max(COLUMN_MIN, paper.width(label, { size: SIZE, isBold: true }), ...widths) + 1;
    return { label, isNumber, width: isNumber ? Math.min(natural, MONEY_MAX) : natural };
  });
  const room = WIDTH - GAP * (columns.length - 1);
  const sum = (isNumber: boolean) => wanted.reduce((all, one) => all + (one.isNumber === isNumber ? one.width : 0), 0);
  const [numbers, words] = [sum(true), sum(false)];
  // Without any texts, or with too many columns, all are scaled alike.
  const leftForWords = room - numbers;
  const isRoomy = words > 0 && leftForWords >= COLUMN_MIN * wanted.filter(({ isNumber }) => !isNumber).length;
  const widths = isRoomy
    ? sharedOut(wanted, words, leftForWords)
    : wanted.map(({ width }) => width * Math.min(1, room / (numbers + words)));
  let x = 0;
  return wanted.map(({ label, isNumber }, i) => {
    const column = { label, isNumber, x, width: widths[i] ?? COLUMN_MIN };
    x += column.width + GAP;
    return column;
  });
}

/** The widest text takes what is left over, or gives what is missing; short ones stay whole. */
function sharedOut(wanted: readonly { isNumber: boolean; width: number }[], words: number, room: number): number[] {
  const widest = wanted.reduce(
    (best, one, i) => (!one.isNumber && one.width > (wanted[best]?.width ?? 0) ? i : best),
    wanted.findIndex((one) => !one.isNumber),
  );
  const others = words - (wanted[widest]?.width ?? 0);
  if (room - others >= COLUMN_MIN * 3) return wanted.map(({ width }, i) => (i === widest ? room - others : width));
  return wanted.map(({ isNumber, width }) => (isNumber ? width : (width * room) / words));
}

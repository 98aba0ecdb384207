import type { Message } from '@waybill/client';
import type { Io } from './io.ts';

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
const CODES: Record<Colour, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
const BAR_CHARS = 30;
const CELL_MAX_CHARS = 60;
const DEFAULT_COLUMNS = 100;

/** Controls, bidi and other invisible characters. A stranger's text must not control the terminal, or look like something else. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/gu;

export function visible(text: string): string {
  return text.replace(UNSEEN, (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Shows invisible characters, but keeps line breaks and tabs. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}

/** Puts JSON on one line. Its line breaks are only between values. */
export function oneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}

/** Tables and colours for people, JSON for programs. Progress goes to stderr. */
export class Output {
  readonly #io: Io;
  readonly isJson: boolean;

  constructor(io: Io, isJson: boolean) {
    this.#io = io;
    this.isJson = isJson;
  }

  result(json: object | string, text: () => string): void {
    this.line(this.isJson ? oneLine(typeof json === 'string' ? json : JSON.stringify(json)) : text());
  }

  list(items: readonly (object | string)[], columns: readonly string[], rows: () => readonly (readonly string[])[]): void {
    if (this.isJson) for (const item of items) this.line(oneLine(typeof item === 'string' ? item : JSON.stringify(item)));
    else this.line(items.length === 0 ? this.paint('dim', 'None.') : this.#table(columns, rows()));
  }

  line(text: string): void {
    this.#io.stdout.write(`${text}\n`);
  }

  note(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }

  paint(colour: Colour, text: string): string {
    const { stdout, env } = this.#io;
    return stdout.isTTY && !this.isJson && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
  }

  /** A progress bar, on a terminal only. Returns the function that draws it. */
  progress(label: string): (done: number, total: number) => void {
    const { stderr } = this.#io;
    if (!stderr.isTTY) return () => {};
    return (done, total) => {
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const bar = '#'.repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS, '.');
      stderr.write(`\r[${bar}] ${Math.floor(100 * share)} %  ${visible(label)}${share === 1 ? '\n' : ''}`);
    };
  }

  #table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
    const isTerminal = this.#io.stdout.isTTY === true;
    const cells = rows.map((row) => row.map((cell) => (isTerminal ? shortened(visible(cell), CELL_MAX_CHARS) : visible(cell))));
    const widths = columns.map((name, index) => Math.max(name.length, ...cells.map((row) => [...(row[index] ?? '')].length)));
    const fit = (text: string) => (isTerminal ? shortened(text, this.#io.stdout.columns ?? DEFAULT_COLUMNS) : text);
    const lineOf = (row: readonly string[]) =>
      fit(
        row
          .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - [...cell].length))
          .join('  ')
          .trimEnd(),
      );
    return [this.paint('dim', lineOf(columns.map((name) => name.toUpperCase()))), ...cells.map(lineOf)].join('\n');
  }
}

function shortened(text: string, chars: number): string {
  const characters = [...text];
  return characters.length > chars ? `${characters.slice(0, chars - 1).join('')}…` : text;
}

type Named = Message['from']['party'];

export function partyName(party: Named): string {
  if (party.kind === 'handle') return party.handle;
  return party.kind === 'domain' ? party.domain : party.email;
}

export function localTime(iso: string): string {
  const time = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

import PDFDocument from 'pdfkit';
import { PDF_PAGES_MAX } from '../../../contract/limits.ts';
import { BOLD, brokenLines, inDrawnOrder, type PrintFont, printable, REGULAR } from './print-font.ts';

const [PAGE_WIDTH, PAGE_HEIGHT] = [595.28, 841.89];
export const MARGIN = 48;
export const WIDTH = PAGE_WIDTH - 2 * MARGIN;
const FOOTER_HEIGHT = 26;
const BOTTOM = PAGE_HEIGHT - MARGIN - FOOTER_HEIGHT;
const LINE_HEIGHT = 1.32;
/** No text has more lines than all pages together. */
const TEXT_MAX_LINES = PDF_PAGES_MAX * 90;

export const INK = '#111827';
export const SOFT = '#5b6472';
const RULE = '#cbd2da';

export interface Block {
  text: string;
  /** From the left margin. */
  x?: number;
  width?: number;
  size?: number;
  isBold?: boolean;
  colour?: string;
  isRight?: boolean;
}

interface Drawn {
  lines: readonly string[];
  x: number;
  width: number;
  size: number;
  font: PrintFont;
  colour: string;
  isRight: boolean;
}

export class PagesFull extends Error {}

interface PaperInfo {
  title: string;
  author: string;
  subject: string;
  createdMs: number;
}

/** A4 pages that fill from the top. Texts are broken into lines, and blocks that do not fit go on with the next page. */
export class Paper {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #chunks: Buffer[] = [];
  #y = MARGIN;
  #pages = 0;
  #lastPages = 0;
  /** Whether a text has a character that the font lacks. */
  lacksCharacters = false;
  /** Draws what each further page begins with, such as the head of a table. */
  onNewPage: (() => void) | undefined;

  constructor({ title, author, subject, createdMs }: PaperInfo) {
    const clean = (text: string) => printable(text.slice(0, 500), () => {});
    this.#pdf = new PDFDocument({
      size: 'A4',
      margin: 0,
      bufferPages: true,
      autoFirstPage: false,
      pdfVersion: '1.7',
      lang: 'en',
      displayTitle: true,
      font: REGULAR.file,
      // The date is that of the message, so that the same message gives the same bytes.
      info: {
        Title: clean(title),
        Author: clean(author),
        Subject: clean(subject),
        Creator: 'Waybill',
        Producer: 'Waybill',
        CreationDate: new Date(createdMs),
      },
    });
    this.#pdf.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#newPage();
  }

  get y(): number {
    return this.#y;
  }

  /** Moves on, or back to a place on the same page. */
  moveTo(y: number): void {
    this.#y = y;
  }

  space(points: number): void {
    this.#y = Math.min(this.#y + points, BOTTOM);
  }

  /** A further page unless so much fits below. */
  need(height: number): void {
    if (this.#y + height > BOTTOM && this.#y > MARGIN) this.#newPage();
  }

  /** The pages that follow are not counted: what a document always ends with. */
  allowLastPages(): void {
    this.#lastPages = 2;
  }

  text(block: Block): void {
    this.row([block]);
  }

  /** Draws blocks beside each other, line by line, so that even the longest goes on with the next page. */
  row(blocks: readonly Block[]): void {
    const drawn = blocks.map((block) => this.#lines(block));
    const heights = drawn.map(({ lines, size }) => lines.length * size * LINE_HEIGHT);
    const height = Math.max(0, ...heights);
    if (height <= BOTTOM / 3) this.need(height);
    const lineHeight = Math.max(...drawn.map(({ size }) => size)) * LINE_HEIGHT;
    const count = Math.max(...drawn.map(({ lines }) => lines.length));
    for (let i = 0; i < count; i++) {
      this.need(lineHeight);
      for (const one of drawn) this.#drawLine(one, i);
      this.#y += lineHeight;
    }
  }

  rule(from = 0, to = WIDTH): void {
    this.#pdf
      .moveTo(MARGIN + from, this.#y)
      .lineTo(MARGIN + to, this.#y)
      .lineWidth(0.5)
      .strokeColor(RULE)
      .stroke();
  }

  /** Draws at a place of the present page, at the left of the text or at its right end. */
  picture(bytes: Uint8Array, box: { width: number; height: number }): boolean {
    try {
      this.#pdf.image(Buffer.from(bytes), MARGIN, this.#y, { fit: [box.width, box.height] });
      return true;
    } catch {
      // A damaged logo is left out.
      return false;
    }
  }

  squares(data: readonly (readonly boolean[])[], side: number): void {
    const module = side / data.length;
    for (const [row, modules] of data.entries())
      for (const [column, isDark] of modules.entries())
        if (isDark) this.#pdf.rect(MARGIN + column * module, this.#y + row * module, module, module);
    this.#pdf.fillColor('#000000').fill();
  }

  link(url: string, { x, width, height }: { x: number; width: number; height: number }): void {
    this.#pdf.link(MARGIN + x, this.#y, width, height, url);
  }

  width(text: string, { size, isBold = false }: { size: number; isBold?: boolean }): number {
    return (isBold ? BOLD : REGULAR).width(
      printable(text, () => {}),
      size,
    );
  }

  /** Writes the number of each page, and the text beside it. */
  async finish(footer: string): Promise<Uint8Array<ArrayBuffer>> {
    const { count } = this.#pdf.bufferedPageRange();
    const [size, colour] = [7.5, SOFT];
    for (let i = 0; i < count; i++) {
      this.#pdf.switchToPage(i);
      this.#y = PAGE_HEIGHT - MARGIN - size;
      const number = this.#lines({ text: `${i + 1} of ${count}`, size, colour, isRight: true });
      const beside = this.#lines({ text: footer, width: WIDTH - 70, size, colour });
      for (const one of [beside, number]) this.#drawLine(one, 0);
    }
    const ended = new Promise((resolve, reject) => this.#pdf.once('end', resolve).once('error', reject));
    this.#pdf.end();
    await ended;
    const bytes = new Uint8Array(this.#chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  }

  #lines({ text, x = 0, width = WIDTH - x, size = 9, isBold = false, colour = INK, isRight = false }: Block): Drawn {
    const font = isBold ? BOLD : REGULAR;
    const shown = text
      .split(/\r\n|[\n\r]/)
      .map((line) => printable(line.replaceAll('\t', ' '), () => (this.lacksCharacters = true)))
      .join('\n');
    return { lines: brokenLines(shown, font, size, width, TEXT_MAX_LINES), x, width, size, font, colour, isRight };
  }

  #drawLine({ lines, x, width, size, font, colour, isRight }: Drawn, i: number): void {
    const line = inDrawnOrder(lines[i] ?? '');
    if (line === '') return;
    const left = MARGIN + x + (isRight ? width - font.width(line, size) : 0);
    this.#pdf.font(font.file, size).fillColor(colour).text(line, left, this.#y, { lineBreak: false });
  }

  #newPage(): void {
    if (this.#pages >= PDF_PAGES_MAX + this.#lastPages) throw new PagesFull();
    this.#pages++;
    this.#pdf.addPage();
    this.#y = MARGIN;
    this.onNewPage?.();
  }
}

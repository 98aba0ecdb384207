import { type Fact, type Outline, type OutlineParty, shownText } from '@waybill/documents';
import { encode } from 'uqr';
import { PDF_PAGES_MAX } from '../../../contract/limits.ts';
import type { RenditionMessage } from '../rendition.ts';
import { drawTable } from './draw-table.ts';
import { INK, PagesFull, Paper, SOFT, WIDTH } from './paper.ts';

const QR_SIDE = 72;
const LOGO = { width: 150, height: 48 };
const LABEL = { size: 7.5, colour: SOFT };
const PARTIES_IN_ROW = 3;
const FACTS_IN_ROW = 4;
const TERMS_IN_ROW = 2;
const COLUMN_GAP = 16;
const TOTALS_WIDTH = 240;
/** Longer terms get a line of their own. */
const SHORT_CHARS = 60;

/** A message as a PDF, drawn by the outline of its document. */
export async function drawDocument(message: RenditionMessage, outline: Outline): Promise<Uint8Array<ArrayBuffer>> {
  return new DocumentDrawing(message, outline).draw();
}

class DocumentDrawing {
  readonly #message: RenditionMessage;
  readonly #outline: Outline;
  readonly #paper: Paper;
  readonly #title: string;
  #isFull = false;

  constructor(message: RenditionMessage, outline: Outline) {
    this.#message = message;
    this.#outline = outline;
    this.#title = outline.title ?? message.subject ?? message.type ?? 'Message';
    this.#paper = new Paper({
      title: [this.#title, outline.number].filter(Boolean).join(' '),
      author: message.from.name,
      subject: message.subject ?? '',
      createdMs: message.receivedMs,
    });
  }

  async draw(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      this.#drawParts();
    } catch (error) {
      if (!(error instanceof PagesFull)) throw error;
      this.#isFull = true;
    }
    const paper = this.#paper;
    paper.onNewPage = undefined;
    paper.allowLastPages();
    this.#remarks();
    this.#receipt();
    const { id, from } = this.#message;
    const number = this.#outline.number ?? '';
    return paper.finish([`${this.#title.slice(0, 60)} ${number.slice(0, 40)}`.trim(), from.name.slice(0, 60), id].join(' · '));
  }

  #drawParts(): void {
    const { parties, facts, lines, tables, totals, terms, notes, more, currency } = this.#outline;
    this.#head();
    this.#parties(parties);
    const inHead = this.#outline.title === undefined ? [] : this.#subject();
    this.#grid([...facts, ...(currency === undefined ? [] : [{ label: 'Currency', value: currency }]), ...inHead]);
    for (const table of [...(lines ? [lines] : []), ...tables]) drawTable(this.#paper, table, currency);
    this.#totals(totals);
    const { note } = this.#message;
    const withMessage = note === null || note === '' ? [] : [{ label: 'Note with the message', value: note }];
    this.#grid(
      terms.filter((fact) => this.#isShort(fact)),
      TERMS_IN_ROW,
    );
    for (const fact of [...terms.filter((one) => !this.#isShort(one)), ...notes, ...withMessage]) this.#labelled(fact);
    for (const fact of more) this.#beside(fact);
  }

  #subject(): Fact[] {
    const { subject } = this.#message;
    return subject === null || subject === '' ? [] : [{ label: 'Subject', value: subject }];
  }

  /** The sender as the service knows it, beside the title. */
  #head(): void {
    const { from, logo } = this.#message;
    const paper = this.#paper;
    const top = paper.y;
    const half = WIDTH / 2;
    paper.text({ text: this.#title.slice(0, 200), x: half, width: half, size: 17, isBold: true, isRight: true });
    const { number } = this.#outline;
    if (number !== undefined) paper.text({ text: number.slice(0, 200), x: half, width: half, size: 11, isRight: true });
    const right = paper.y;
    paper.moveTo(top);
    if (logo && paper.picture(logo, LOGO)) paper.space(LOGO.height + 8);
    const width = half - COLUMN_GAP;
    paper.text({ text: from.name, width, size: 11, isBold: true });
    for (const text of [from.address, ...this.#ownAddress()]) paper.text({ text, width, size: 8, colour: SOFT });
    paper.moveTo(Math.max(paper.y, right));
    paper.space(8);
    paper.rule();
    paper.space(12);
  }

  /** The address that the sender gives itself: only that of the party with its handle or its name. */
  #ownAddress(): string[] {
    const { from } = this.#message;
    const isSender = ({ handle, name }: OutlineParty) => (handle === undefined ? name === from.name : `@${handle}` === from.address);
    return this.#outline.parties.find(isSender)?.address ?? [];
  }

  #parties(parties: readonly OutlineParty[]): void {
    const paper = this.#paper;
    const width = (WIDTH - COLUMN_GAP * (PARTIES_IN_ROW - 1)) / PARTIES_IN_ROW;
    for (let from = 0; from < parties.length; from += PARTIES_IN_ROW) {
      const row = parties.slice(from, from + PARTIES_IN_ROW);
      const place = (i: number) => ({ x: i * (width + COLUMN_GAP), width });
      paper.need(70);
      paper.row(row.map(({ title }, i) => ({ text: title, ...place(i), ...LABEL })));
      paper.row(row.map(({ name = '' }, i) => ({ text: name, ...place(i), isBold: true })));
      paper.row(row.map((party, i) => ({ text: aboutParty(party), ...place(i), size: 8 })));
      paper.space(12);
    }
  }

  #grid(facts: readonly Fact[], columns = FACTS_IN_ROW): void {
    const paper = this.#paper;
    const width = (WIDTH - COLUMN_GAP * (columns - 1)) / columns;
    if (facts.length === 0) return;
    for (let from = 0; from < facts.length; from += columns) {
      const row = facts.slice(from, from + columns);
      const place = (i: number) => ({ x: i * (width + COLUMN_GAP), width });
      paper.need(32);
      paper.row(row.map(({ label }, i) => ({ text: label, ...place(i), ...LABEL })));
      paper.row(row.map((fact, i) => ({ text: this.#shown(fact), ...place(i) })));
      paper.space(8);
    }
    paper.space(6);
  }

  #totals(totals: readonly Fact[]): void {
    const paper = this.#paper;
    const { currency } = this.#outline;
    const x = WIDTH - TOTALS_WIDTH;
    for (const [i, fact] of totals.entries()) {
      const isLast = i === totals.length - 1;
      const unit = fact.format === 'money' && currency !== undefined ? `\u{a0}${currency}` : '';
      const style = isLast ? { isBold: true, size: 10.5 } : {};
      paper.need(20);
      if (isLast) {
        paper.rule(x);
        paper.space(5);
      }
      const half = TOTALS_WIDTH / 2;
      paper.row([
        { text: fact.label, x, width: half, colour: isLast ? INK : SOFT, ...style },
        { text: `${this.#shown(fact)}${unit}`, x: x + half, width: half, isRight: true, ...style },
      ]);
      paper.space(3);
    }
    paper.space(12);
  }

  #isShort(fact: Fact): boolean {
    const text = this.#shown(fact);
    return text.length <= SHORT_CHARS && !text.includes('\n');
  }

  #labelled(fact: Fact): void {
    this.#paper.need(30);
    this.#paper.text({ text: fact.label, ...LABEL });
    this.#paper.text({ text: this.#shown(fact) });
    this.#paper.space(7);
  }

  #beside(fact: Fact): void {
    const label = WIDTH / 3;
    this.#paper.row([
      { text: fact.label, width: label - COLUMN_GAP, size: 8, colour: SOFT },
      { text: this.#shown(fact), x: label, width: WIDTH - label, size: 8 },
    ]);
    this.#paper.space(2);
  }

  #shown({ value, format }: Fact): string {
    return shownText(value, format, this.#outline.currency);
  }

  /** What a reader must know of this paper. */
  #remarks(): void {
    const paper = this.#paper;
    const remarks = [
      this.#isFull && `Not all of the document is here: a PDF has at most ${PDF_PAGES_MAX} pages. The message has the rest.`,
      !this.#isFull && this.#outline.isCut && 'Not all of the document is here: it has too many values. The message has the rest.',
      paper.lacksCharacters && 'A box (□) stands for a character that this PDF has no letter for. The message has it.',
    ].filter((one) => one !== false);
    for (const text of remarks) paper.text({ text, size: 8, isBold: true });
  }

  #receipt(): void {
    const { receiptUrl, receivedMs, from, to, id } = this.#message;
    const paper = this.#paper;
    paper.space(10);
    paper.need(QR_SIDE + 14);
    paper.rule();
    paper.space(10);
    const top = paper.y;
    paper.squares(encode(receiptUrl, { ecc: 'M', border: 2 }).data, QR_SIDE);
    const x = QR_SIDE + 10;
    const time = `${new Date(receivedMs).toISOString().replace('T', ' ').slice(0, 19)} UTC`;
    const says = `Delivered from ${from.name} (${from.address}) to ${to.name} (${to.address}) on ${time}.`;
    paper.space(6);
    paper.text({ text: says.slice(0, 600), x, size: 8 });
    paper.text({ text: `Message ${id}. Its receipt proves the delivery:`, x, size: 8, colour: SOFT });
    const linkTop = paper.y;
    paper.link(receiptUrl, { x, width: WIDTH - x, height: 12 });
    paper.text({ text: receiptUrl, x, size: 8 });
    paper.moveTo(Math.max(top + QR_SIDE, linkTop + 12));
  }
}

function aboutParty({ handle, address, facts }: OutlineParty): string {
  const others = facts.map(({ label, value, format }) => `${label}: ${shownText(value, format)}`);
  return [...(handle === undefined ? [] : [`@${handle}`]), ...address, ...others].join('\n');
}

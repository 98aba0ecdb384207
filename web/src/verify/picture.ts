import { type Chain, chainInWords, type Link } from './chain.ts';
import { draw, make } from './elements.ts';
import { cut, type Phrase, plain } from './phrase.ts';

interface Layout {
  columns: number;
  width: number;
  boxWidth: number;
  boxHeight: number;
  gap: number;
  /** The letters that fit a line. What does not fit all the same is clipped. */
  letters: number;
}

const WIDE: Layout = { columns: 5, width: 686, boxWidth: 122, boxHeight: 88, gap: 18.5, letters: 17 };
const NARROW: Layout = { columns: 1, width: 320, boxWidth: 318, boxHeight: 84, gap: 22, letters: 46 };
const CAPTION_HEIGHT = 26;
const PADDING = 11;
const STATES = { proven: 'Proven', open: 'Not proven', failed: 'Failed' };

/** The chain as a picture: in one row where there is room, and else in one column. Style sheets show one of both. */
export function picture(chain: Chain): HTMLElement {
  return make('figure', 'chain', drawn(chain, WIDE, 'wide'), drawn(chain, NARROW, 'narrow'));
}

/** For paper. */
export function widePicture(chain: Chain): SVGElement {
  return drawn(chain, WIDE, 'wide');
}

let pictures = 0;

function drawn(chain: Chain, layout: Layout, name: string): SVGElement {
  const id = `chain-${++pictures}`;
  const parts: SVGElement[] = [];
  let top = group(parts, 'How the message is secured', chain.anchors, layout, 0);
  if (chain.steps.length > 0) top = group(parts, 'What happened to it, in order', chain.steps, layout, top + 14);
  const labels = { role: 'img', 'aria-labelledby': `${id}-title`, 'aria-describedby': `${id}-text` };
  return draw(
    'svg',
    { class: name, viewBox: `0 0 ${layout.width} ${top + 1}`, ...labels },
    draw('title', { id: `${id}-title` }, 'The chain of evidence'),
    draw('desc', { id: `${id}-text` }, chainInWords(chain)),
    ...parts,
  );
}

/** Returns where the group ends. */
function group(parts: SVGElement[], caption: string, links: readonly Link[], layout: Layout, top: number): number {
  parts.push(draw('text', { x: 1, y: top + 12, class: 'caption' }, caption));
  const { columns, boxWidth, boxHeight, gap } = layout;
  const first = top + CAPTION_HEIGHT - 4;
  for (const [at, link] of links.entries()) {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    const [x, y] = [1 + column * (boxWidth + gap), first + row * (boxHeight + gap)];
    if (at > 0) parts.push(arrow(layout, x, y, column === 0));
    parts.push(box(link, layout, x, y));
  }
  return first + Math.ceil(links.length / columns) * (boxHeight + gap) - gap;
}

/** From the box before: the one to the left, or the last one of the row above. */
function arrow({ columns, boxWidth, boxHeight, gap }: Layout, x: number, y: number, isFirst: boolean): SVGElement {
  const middle = boxHeight / 2;
  if (!isFirst) return draw('path', { class: 'arrow', d: `M${x - gap + 3} ${y + middle}H${x - 4}m-4-4 4 4-4 4` });
  const [from, to] = [x + (columns - 1) * (boxWidth + gap) + boxWidth / 2, x + boxWidth / 2];
  return draw('path', { class: 'arrow', d: `M${from} ${y - gap + 2}V${y - gap / 2}H${to}V${y - 3}m-4-4 4 4 4-4` });
}

function box({ state, kind, title, detail, more }: Link, { boxWidth, boxHeight, letters }: Layout, x: number, y: number): SVGElement {
  const line = (name: string, at: number, text: Phrase | string, width: number) =>
    draw('text', { class: name, x: PADDING, y: at }, typeof text === 'string' ? cut(text, width) : cut(plain(text, width), width));
  return draw(
    'g',
    { class: `link ${state}` },
    draw('rect', { x, y, width: boxWidth, height: boxHeight, rx: 9 }),
    // Clips what is wider than the box.
    draw(
      'svg',
      { x, y, width: boxWidth - 5, height: boxHeight },
      line('kind', 21, kind, letters),
      line('title', 42, title, Math.floor(letters * 0.8)),
      line('detail', 59, detail, letters),
      line('detail', 75, more, letters),
    ),
    mark(state, x + boxWidth - 17, y + 17),
  );
}

/** Not by colour alone. */
function mark(state: Link['state'], x: number, y: number): SVGElement {
  const signs = { proven: 'm-3.5 .5 2.5 2.5 4.5-5', open: 'm-3 0h6', failed: 'm-3-3 6 6m0-6-6 6' };
  return draw(
    'g',
    { class: 'mark' },
    draw('title', {}, STATES[state]),
    draw('circle', { cx: x, cy: y, r: 7.5 }),
    draw('path', { d: `M${x} ${y}${signs[state]}` }),
  );
}

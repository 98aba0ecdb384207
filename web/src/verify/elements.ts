import { fitted, type Phrase } from './phrase.ts';

/* Everything that strangers wrote is shown as text, and never as HTML. */

const SVG = 'http://www.w3.org/2000/svg';

export type Content = Node | string;

export function make(tag: string, className: string, ...content: Content[]): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...content);
  return made;
}

export function draw(tag: string, attributes: Record<string, string | number>, ...content: Content[]): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...content);
  return made;
}

/** The sentence, with each text by a stranger isolated from the direction of the text around it. */
export function told(phrase: Phrase, width = 120, idWidth = width): Content[] {
  return phrase.map((piece) => (typeof piece === 'string' ? piece : make('bdi', '', fitted(piece, piece.isId ? idWidth : width))));
}

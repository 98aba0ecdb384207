import type { Html } from '../../contract/html.ts';
import { ADDRESS } from './markdown.ts';

export interface Section {
  address: string;
  page: string;
  heading: string;
  text: string;
}

/** Enough of each section to find it by. The objects of responses would fill most of the index. */
const TEXT_MAX_CHARS = 1_500;
const HEADING = /(?=<h[23] id=")/;

/** An endpoint is one section, which is also found by its method and path. */
export function sectionsOf(address: string, page: string, body: Html, route?: string): Section[] {
  const text = body.text.replace(/<form [\s\S]*?<\/form>/g, '').replace(/<a class="anchor"[\s\S]*?<\/a>/g, '');
  if (route !== undefined) return [{ address, page, heading: route, text: textOf(text.replace(/<h2 id="response">[\s\S]*/, '')) }];
  return text.split(HEADING).map((part) => {
    const [, anchor, heading = ''] = /^<h[23] id="([^"]+)">([\s\S]*?)<\/h[23]>/.exec(part) ?? [];
    const at = anchor === undefined ? address : `${address}#${anchor}`;
    return { address: at, page, heading: textOf(heading), text: textOf(part.replace(/^<h[123][\s\S]*?<\/h[123]>/, '')) };
  });
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll(ADDRESS, '')
    .replace(/&(?:(amp|lt|gt|quot)|#(x?)([\da-f]+));/gi, (_, name = '', hex, code) => NAMED[name] ?? characterOf(code, hex))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TEXT_MAX_CHARS);
}

/** Templates write character codes in decimal, the highlighter in hexadecimal. */
const characterOf = (code: string, hex: string): string => String.fromCodePoint(Number.parseInt(code, hex === '' ? 10 : 16));

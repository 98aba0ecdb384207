const UNSHOWN = new Set(['script', 'style', 'head', 'title', 'template', 'noscript', 'svg', 'math', 'iframe', 'object', 'textarea']);
const BLOCKS = new Set(
  'address article aside blockquote body dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
const CELLS = new Set(['td', 'th']);
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  euro: '€',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
};
const TAG_NAME = /^<(\/?)([a-z][a-z0-9]*)/i;
const LINK = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i;
const TAG_MAX_CHARS = 4_096;

/** The words of an HTML text, with line breaks where it has blocks, and where links lead to. Nothing of it is run, or fetched. */
export function textOfHtml(html: string): string {
  const pieces: string[] = [];
  let link: string | undefined;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    pieces.push(decoded(html.slice(at, open < 0 ? html.length : open)).replace(/\s+/g, ' '));
    if (open < 0) break;
    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open);
      continue;
    }
    const [, slash, name = ''] = TAG_NAME.exec(html.slice(open, open + 64)) ?? [];
    const tag = name.toLowerCase();
    if (tag === '' && !/^<[!?/]/.test(html.slice(open, open + 2))) {
      // Not a tag at all, such as in `a < b`.
      pieces.push('<');
      at = open + 1;
      continue;
    }
    at = after(html, '>', open);
    if (slash === '' && UNSHOWN.has(tag)) at = afterElement(html, tag, at);
    else if (tag === 'br') pieces.push('\n');
    else if (tag === 'li' && slash === '') pieces.push('\n- ');
    else if (CELLS.has(tag) && slash === '/') pieces.push('\t');
    else if (BLOCKS.has(tag)) pieces.push('\n');
    else if (tag === 'a' && slash === '') link = linkIn(html.slice(open, Math.min(at, open + TAG_MAX_CHARS)));
    else if (tag === 'a' && link !== undefined) {
      pieces.push(` <${link}>`);
      link = undefined;
    }
  }
  return tidied(pieces.join(''));
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function afterElement(html: string, tag: string, from: number): number {
  const closing = new RegExp(`</${tag}`, 'gi');
  closing.lastIndex = from;
  const match = closing.exec(html);
  return match ? after(html, '>', match.index) : html.length;
}

function linkIn(tag: string): string | undefined {
  const [, quoted, single, plain] = LINK.exec(tag) ?? [];
  const href = decoded(quoted ?? single ?? plain ?? '').trim();
  return /^(https?|mailto):[^\s<>]+$/i.test(href) ? href : undefined;
}

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : '\u{fffd}';
  });
}

/** No spaces around line breaks, and no more than one empty line. */
function tidied(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

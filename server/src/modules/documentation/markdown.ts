import { setImmediate } from 'node:timers/promises';
import { Marked, type Token, type Tokens } from 'marked';
import { Html, html } from '../../contract/html.ts';
import { codeBlock, codeTabs } from './code-block.ts';

/** A placeholder for the service's URL, which is known only once it listens. No document can contain NUL. */
export const ADDRESS = '\0';

/** The layout uses these anchors. */
const TAKEN_ANCHORS = ['content', 'pages', 'contents-title'];
const TAB = /^(\S+) tab=(.+)$/;

export interface Heading {
  depth: number;
  anchor: string;
  name: string;
}

interface Rendered {
  body: Html;
  headings: Heading[];
}

/**
 * Renders Markdown to safe HTML: tags are shown as text, and a link leads to another page of ours (`addressOf` finds it by the path in the
 * link), to the web, or nowhere.
 */
export function renderMarkdown(markdown: string, addressOf: (path: string) => string | undefined): Rendered {
  return renderTokens(tokensOf(markdown), addressOf);
}

/** Yields to other requests between two code blocks: their colours take most of the time. */
export async function renderInSteps(markdown: string, addressOf: (path: string) => string | undefined): Promise<Rendered> {
  const tokens = tokensOf(markdown);
  await setImmediate();
  for (const token of tokens.flatMap((each) => ('blocks' in each ? each['blocks'] : each))) {
    if (token.type !== 'code') continue;
    token.coloured = block(token);
    await setImmediate();
  }
  return renderTokens(tokens, addressOf);
}

function tokensOf(markdown: string): Token[] {
  return withTabs(new Marked().lexer(markdown.replaceAll(ADDRESS, '')));
}

function renderTokens(tokens: Token[], addressOf: (path: string) => string | undefined): Rendered {
  const anchors = new Set(TAKEN_ANCHORS);
  const headings: Heading[] = [];
  const marked = new Marked({
    extensions: [{ name: 'tabs', renderer: ({ blocks }) => codeTabs(blocks.map(block)).text }],
    renderer: {
      heading({ tokens, depth }) {
        const text = new Html(this.parser.parseInline(tokens));
        if (depth === 1) return html`<h1>${text}</h1>\n`.text;
        const name = this.parser.parseInline(tokens, this.parser.textRenderer);
        const anchor = freeAnchor(name, anchors);
        headings.push({ depth, anchor, name });
        return `<h${depth} id="${anchor}">${text.text}${anchorLink(anchor, name).text}</h${depth}>\n`;
      },
      code: (token) => block(token).text,
      codespan: ({ text }) => html`<code>${text.replaceAll('$URL/', `${ADDRESS}/`)}</code>`.text,
      html: ({ text }) => html`${text}`.text,
      image: ({ text }) => html`${text}`.text,
      link({ href, tokens }) {
        const text = new Html(this.parser.parseInline(tokens));
        const target = targetOf(href, addressOf);
        return target === undefined ? text.text : html`<a href="${target}">${text}</a>`.text;
      },
      tablecell({ tokens, header }) {
        const text = new Html(this.parser.parseInline(tokens));
        // An empty header cell is not a header.
        return (header && text.text !== '' ? html`<th scope="col">${text}</th>` : html`<td>${text}</td>`).text;
      },
    },
  });
  return { body: new Html(marked.parser(tokens)), headings };
}

export function withAddress(rendered: Html, publicUrl: string): Html {
  return new Html(rendered.text.replaceAll(ADDRESS, () => html`${publicUrl}`.text));
}

export function anchorLink(anchor: string, name: string): Html {
  return html` <a class="anchor" href="#${anchor}" aria-label="Link to: ${name}">#</a>`;
}

function block({ text, lang = '', coloured }: Tokens.Generic): Html {
  if (coloured) return coloured;
  const [, language = lang, label] = TAB.exec(lang) ?? [];
  return codeBlock(text.replaceAll('$URL', ADDRESS), language, label);
}

/** Adjacent code blocks with `tab=` after their language become one block with tabs. */
function withTabs(tokens: Token[]): Token[] {
  const grouped: Token[] = [];
  for (const token of tokens) {
    const last = grouped.findLast(({ type }) => type !== 'space');
    if (token.type !== 'code' || !TAB.test(token['lang'] ?? '')) grouped.push(token);
    else if (last && 'blocks' in last) last['blocks'].push(token);
    else grouped.push({ type: 'tabs', raw: '', blocks: [token] });
  }
  return grouped;
}

function targetOf(href: string, addressOf: (path: string) => string | undefined): string | undefined {
  if (/^(https?:\/\/|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const address = addressOf(path);
  return address !== undefined && anchor !== undefined ? `${address}#${anchor}` : address;
}

/** The anchors are those of GitHub, so that links to sections work in both places. */
function freeAnchor(heading: string, taken: Set<string>): string {
  const base = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  let anchor = base;
  for (let i = 1; taken.has(anchor); i++) anchor = `${base}-${i}`;
  taken.add(anchor);
  return anchor;
}

import { Marked } from 'marked';
import { Html, html } from '../../contract/html.ts';

/** A placeholder for the service's URL, which is known only once it listens. No document can contain NUL. */
const ADDRESS = '\0';

/** Anchors that the layout uses. */
const TAKEN_ANCHORS = ['content'];

/**
 * Renders Markdown to safe HTML: tags are shown as text, and a link leads to another page of ours (`addressOf` finds it by the path
 * in the link), to the web, or nowhere.
 */
export function renderMarkdown(markdown: string, addressOf: (path: string) => string | undefined): Html {
  const anchors = new Set(TAKEN_ANCHORS);
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = new Html(this.parser.parseInline(tokens));
        if (depth === 1) return html`<h1>${text}</h1>\n`.text;
        const name = this.parser.parseInline(tokens, this.parser.textRenderer);
        const anchor = freeAnchor(name, anchors);
        return `<h${depth} id="${anchor}">${text.text}${anchorLink(anchor, name).text}</h${depth}>\n`;
      },
      code: ({ text }) => html`<pre><code>${text.replaceAll('$URL', ADDRESS)}</code></pre>\n`.text,
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
  return new Html(marked.parse(markdown.replaceAll(ADDRESS, ''), { async: false }));
}

/** Inserts the service's URL into the examples. */
export function withAddress(rendered: Html, publicUrl: string): Html {
  return new Html(rendered.text.replaceAll(ADDRESS, () => html`${publicUrl}`.text));
}

/** A link of a heading to itself, for sharing. */
export function anchorLink(anchor: string, name: string): Html {
  return html` <a class="anchor" href="#${anchor}" aria-label="Link to: ${name}">#</a>`;
}

function targetOf(href: string, addressOf: (path: string) => string | undefined): string | undefined {
  if (/^(https?:\/\/|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const address = addressOf(path);
  return address !== undefined && anchor !== undefined ? `${address}#${anchor}` : address;
}

/** The same anchors as on GitHub, so that links to sections work in both places. */
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

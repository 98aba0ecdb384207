import { Marked } from 'marked';
import { Html, html } from '../../contract/html.ts';

/** Stands where the service's own address goes, which is known only once it listens. Text that is read can't contain it. */
const ADDRESS = '\0';

/** Anchors that the page around a document uses. */
const TAKEN_ANCHORS = ['content'];

/**
 * Markdown as HTML that can be shown as it is: tags in it are shown, not obeyed, and a link leads to another page of ours
 * (`addressOf` knows them by the path in the link), to the web, or nowhere.
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
        // A header cell that names nothing is none.
        return (header && text.text !== '' ? html`<th scope="col">${text}</th>` : html`<td>${text}</td>`).text;
      },
    },
  });
  return new Html(marked.parse(markdown.replaceAll(ADDRESS, ''), { async: false }));
}

/** With the service's address in its examples. */
export function withAddress(rendered: Html, publicUrl: string): Html {
  return new Html(rendered.text.replaceAll(ADDRESS, () => html`${publicUrl}`.text));
}

/** A heading's link to itself, for whoever wants to pass it on. */
export function anchorLink(anchor: string, name: string): Html {
  return html` <a class="anchor" href="#${anchor}" aria-label="Link to: ${name}">#</a>`;
}

function targetOf(href: string, addressOf: (path: string) => string | undefined): string | undefined {
  if (/^(https?:\/\/|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const address = addressOf(path);
  return address !== undefined && anchor !== undefined ? `${address}#${anchor}` : address;
}

/** As GitHub makes them, so that links to sections work in both places. */
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

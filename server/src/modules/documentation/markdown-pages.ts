import { Type } from 'typebox';
import { endpointsFor, type HttpResponse, type Route } from '../../http/endpoint.ts';
import { type Document, documentOf, HOME, library, REFERENCE } from './library.ts';
import { type LimitSettings, withLimitsInUse } from './limits-in-use.ts';

interface Services {
  publicUrl: string;
  config: LimitSettings;
}

const { publicEndpoint } = endpointsFor<Services>();

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';
const markdown = { status: 200, description: 'Markdown.', contentType: MARKDOWN_TYPE };

/**
 * The documentation for programs: each page as Markdown, at its address with `.md`, and a list of them. `reference` has the pages that are
 * no documents, by address.
 */
export function markdownPages(reference: (publicUrl: string) => ReadonlyMap<string, string>): Route<Services>[] {
  const show = (address: string, { publicUrl, config }: Services): HttpResponse => {
    const document = address === REFERENCE ? undefined : library().get(address);
    if (document) return { body: withLimitsInUse(document.file, markdownOf(document, publicUrl), config) };
    const text = reference(publicUrl).get(address);
    if (text !== undefined) return { body: text };
    return { status: 404, body: `# Page not found\n\n${publicUrl}/llms.txt lists all pages.\n` };
  };
  const list = publicEndpoint({
    summary: 'The list of all pages, for language models',
    success: { ...markdown, contentType: 'text/plain; charset=utf-8' },
    errors: [],
    handle: async ({ publicUrl }) => ({ body: llmsText(publicUrl) }),
  });
  const first = publicEndpoint({
    summary: 'The first page, as Markdown',
    success: markdown,
    errors: [],
    handle: async (services) => show(HOME, services),
  });
  const page = publicEndpoint({
    summary: 'A page, as Markdown',
    params: Type.Object({ name: Type.String() }),
    success: markdown,
    errors: [],
    handle: async (services, { params }) => show(`${HOME}/${params.name}`, services),
  });
  const endpoint = publicEndpoint({
    summary: 'An endpoint, as Markdown',
    params: Type.Object({ operation: Type.String() }),
    success: markdown,
    errors: [],
    handle: async (services, { params }) => show(`${REFERENCE}/${params.operation}`, services),
  });
  return [
    ['GET', '/llms.txt', 'public unlimited', list],
    ['GET', `${HOME}.md`, 'public unlimited', first],
    ['GET', `${HOME}/:name.md`, 'public unlimited', page],
    ['GET', `${REFERENCE}/:operation.md`, 'public unlimited', endpoint],
  ];
}

/** The link to the Markdown is in the header, because pages load nothing. */
export function withMarkdownLink(page: HttpResponse, address: string): HttpResponse {
  if (page.status !== undefined && page.status !== 200) return page;
  return { ...page, headers: { ...page.headers, link: `<${address}.md>; rel="alternate"; type="text/markdown"` } };
}

/** The format is that of llmstxt.org: a title, a summary, and lists of links. */
function llmsText(publicUrl: string): string {
  const home = library().get(HOME);
  const [before = '', ...sections] = home ? markdownOf(home, publicUrl).split(/^(?=## )/m) : [];
  const [, summary = ''] = before.split('\n\n');
  return `# Waybill

> ${summary.replaceAll('\n', ' ')}

Every request needs an API key: \`Authorization: Bearer wb_…\`. Errors have a \`code\`, and say what to do next.

${sections.join('')}
## For programs

- [OpenAPI document](${publicUrl}/openapi.json): every endpoint, with schemas of requests and responses.
- [MCP](${publicUrl}/mcp): the tools of the service for agents, by streamable HTTP with an API key.
`;
}

const FENCED = /(^ *```[\s\S]*?^ *```$)/m;

/** A self-contained text: links lead to Markdown pages of this service, and examples have its address. */
function markdownOf({ file, markdown }: Document, publicUrl: string): string {
  return markdown
    .split(FENCED)
    .map((part, i) =>
      i % 2 === 1 ? part.replaceAll('$URL', publicUrl) : linked(part, file, publicUrl).replaceAll('$URL/', `${publicUrl}/`),
    )
    .join('');
}

/** Links to files of the project become plain text, as on the pages. */
function linked(text: string, file: string, publicUrl: string): string {
  return text.replace(/!?\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g, (whole, words: string, href: string) => {
    if (whole.startsWith('!')) return words;
    if (/^(https?:\/\/|#)/.test(href)) return whole;
    const [path = '', anchor] = href.split('#');
    const target = documentOf(file, path);
    if (!target) return words;
    return `[${words}](${publicUrl}${target.address}.md${anchor === undefined ? '' : `#${anchor}`})`;
  });
}

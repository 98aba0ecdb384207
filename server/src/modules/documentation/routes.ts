import { Type } from 'typebox';
import { type Html, html } from '../../contract/html.ts';
import { endpointsFor, type Route } from '../../http/endpoint.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { HTML_TYPE } from '../../http/page.ts';
import { version } from '../../http/version.ts';
import { documentationPage } from './layout.ts';
import { type Document, documentOf, HOME, library, REFERENCE } from './library.ts';
import { renderMarkdown, withAddress } from './markdown.ts';
import { markdownPages, withMarkdownLink } from './markdown-pages.ts';
import { referenceBody } from './reference.ts';
import { referenceMarkdown } from './reference-markdown.ts';

interface Services {
  publicUrl: string;
}

const { publicEndpoint } = endpointsFor<Services>();

const aPage = { status: 200, description: 'HTML.', contentType: HTML_TYPE };

/** The documentation: the documents, and the reference of the API. */
export function documentation(api: readonly Route<never>[]): Route<Services>[] {
  const describe = (publicUrl: string) => openApiDocument(api, version, publicUrl);
  const programText = memoize((publicUrl) => JSON.stringify(describe(publicUrl)));
  const referencePage = memoize((publicUrl) =>
    withMarkdownLink(documentationPage(listed(), REFERENCE, 'API reference', referenceBody(describe(publicUrl))), REFERENCE),
  );
  const bodies = new Map<Document, Html>();
  const bodyOf = (document: Document) => {
    const body = bodies.get(document) ?? renderMarkdown(document.markdown, (link) => documentOf(document.file, link)?.address);
    bodies.set(document, body);
    return body;
  };
  const show = (address: string, publicUrl: string) => {
    const entries = listed();
    const document = library().get(address);
    if (document)
      return withMarkdownLink(documentationPage(entries, address, document.title, withAddress(bodyOf(document), publicUrl)), address);
    const body = html`<h1>Page not found</h1><p>See the list of all pages; <a href="${HOME}">the first one</a> describes each.</p>`;
    return documentationPage(entries, address, 'No such page', body, 404);
  };
  const program = publicEndpoint({
    summary: 'The OpenAPI document',
    isCrossOrigin: true,
    success: { status: 200, description: 'OpenAPI 3.1.' },
    errors: [],
    handle: async ({ publicUrl }) => ({ body: programText(publicUrl) }),
  });
  const reference = publicEndpoint({
    summary: 'The API reference',
    success: aPage,
    errors: [],
    handle: async ({ publicUrl }) => referencePage(publicUrl),
  });
  const first = publicEndpoint({
    summary: 'The list of all guides and documents',
    success: aPage,
    errors: [],
    handle: async ({ publicUrl }) => show(HOME, publicUrl),
  });
  const document = publicEndpoint({
    summary: 'A guide or document',
    params: Type.Object({ name: Type.String() }),
    success: aPage,
    errors: ['not_found'],
    handle: async ({ publicUrl }, { params }) => show(`${HOME}/${params.name}`, publicUrl),
  });
  return [
    ['GET', '/openapi.json', 'public unlimited', program],
    ['GET', HOME, 'public unlimited', first],
    ['GET', REFERENCE, 'public unlimited', reference],
    ['GET', `${HOME}/:name`, 'public unlimited', document],
    ...markdownPages(memoize((publicUrl) => referenceMarkdown(describe(publicUrl)))),
  ];
}

/** All pages but the first. */
function listed(): Document[] {
  return [...library().values()].filter(({ address }) => address !== HOME);
}

/** Computes once: the service's URL does not change after it listens. */
function memoize<T>(make: (publicUrl: string) => T): (publicUrl: string) => T {
  let last: { publicUrl: string; made: T } | undefined;
  return (publicUrl) => {
    if (last?.publicUrl !== publicUrl) last = { publicUrl, made: make(publicUrl) };
    return last.made;
  };
}

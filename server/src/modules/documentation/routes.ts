import { Type } from 'typebox';
import { endpointsFor, type HttpResponse, type Route } from '../../http/endpoint.ts';
import { openApiText } from '../../http/openapi-shared.ts';
import { HTML_TYPE } from '../../http/page.ts';
import { StaticDocument } from '../../http/static-document.ts';
import { version } from '../../http/version.ts';
import type { Pages } from '../web/pages.ts';
import { apiDocument, apiDocumentAt } from './api-document.ts';
import { HOME, movedTo, REFERENCE } from './library.ts';
import type { LimitSettings } from './limits-in-use.ts';
import { markdownPages, withMarkdownLink } from './markdown-pages.ts';
import { referenceMarkdown } from './reference-markdown.ts';
import type { DocumentationSite } from './site.ts';

interface Services {
  publicUrl: string;
  config: LimitSettings;
}

const { publicEndpoint } = endpointsFor<Services>();

const aPage = { status: 200, description: 'HTML.', contentType: HTML_TYPE };

interface Documentation {
  routes: Route<Services>[];
  show(address: string, services: Services): Promise<HttpResponse>;
}

export function documentation(api: readonly Route<never>[], pages: Pages): Documentation {
  const programDocument = memoize(async (publicUrl) => new StaticDocument(await openApiText(api, version, publicUrl)));
  let site: Promise<DocumentationSite> | undefined;
  // Markdown, colours and the reference take a tenth of a second to load, which the start of the service does not wait for.
  const openSite = (config: LimitSettings): Promise<DocumentationSite> => {
    site ??= import('./site.ts').then(({ DocumentationSite }) => new DocumentationSite(apiDocument(api), config));
    return site;
  };
  const show = async (address: string, { publicUrl, config }: Services): Promise<HttpResponse> => {
    const { status, title, content } = await (await openSite(config)).page(address, publicUrl);
    return withMarkdownLink(pages.showDocument(`${title} · Waybill`, content, status), address);
  };
  const pageAt = (summary: string, address: string) =>
    publicEndpoint({ summary, success: aPage, errors: [], handle: (services) => show(address, services) });

  const program = publicEndpoint({
    summary: 'The OpenAPI document',
    isCrossOrigin: true,
    success: { status: 200, description: 'OpenAPI 3.1.' },
    errors: [],
    handle: async ({ publicUrl }, { request }) => (await programDocument(publicUrl)).respondTo(request),
  });
  const document = publicEndpoint({
    summary: 'A guide or document',
    params: Type.Object({ name: Type.String() }),
    success: aPage,
    errors: ['not_found'],
    handle: async (services, { params }) => {
      const location = movedTo(params.name);
      return location === undefined ? show(`${HOME}/${params.name}`, services) : { status: 301, headers: { location } };
    },
  });
  const endpoint = publicEndpoint({
    summary: 'An endpoint in the reference of the API',
    params: Type.Object({ operation: Type.String() }),
    success: aPage,
    errors: ['not_found'],
    handle: (services, { params }) => show(`${REFERENCE}/${params.operation}`, services),
  });
  const search = publicEndpoint({
    summary: 'What the search of the documentation looks through',
    success: { status: 200, description: 'JSON.' },
    errors: [],
    handle: async ({ config }) => ({ body: await (await openSite(config)).searchText() }),
  });
  const routes: Route<Services>[] = [
    ['GET', '/openapi.json', 'public', program],
    ['GET', HOME, 'public unlimited', pageAt('The list of all guides and documents', HOME)],
    ['GET', REFERENCE, 'public unlimited', pageAt('The API reference', REFERENCE)],
    ['GET', `${HOME}/:name`, 'public unlimited', document],
    ['GET', `${REFERENCE}/:operation`, 'public unlimited', endpoint],
    ['GET', `${HOME}/search.json`, 'public unlimited', search],
    ...markdownPages(memoize((publicUrl) => referenceMarkdown(apiDocumentAt(api, publicUrl)))),
  ];
  return { routes, show };
}

/** Computes once: the service's URL does not change after it listens. */
function memoize<T>(make: (publicUrl: string) => T): (publicUrl: string) => T {
  let last: { publicUrl: string; made: T } | undefined;
  return (publicUrl) => {
    if (last?.publicUrl !== publicUrl) last = { publicUrl, made: make(publicUrl) };
    return last.made;
  };
}

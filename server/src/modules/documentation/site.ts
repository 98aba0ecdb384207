import { setImmediate } from 'node:timers/promises';
import { type Html, html } from '../../contract/html.ts';
import type { OpenApiDocument } from '../../http/openapi.ts';
import { OBJECTS } from './fields.ts';
import { frame, type Site } from './layout.ts';
import { documentOf, HOME, library, REFERENCE } from './library.ts';
import { type LimitSettings, withLimitsInUse } from './limits-in-use.ts';
import { type Heading, renderInSteps, withAddress } from './markdown.ts';
import { operationBody } from './operation-page.ts';
import { areasOf, type Endpoint } from './operations.ts';
import { objects, overview } from './reference.ts';
import { type Section, sectionsOf } from './search-sections.ts';

export { prepareLanguages } from './code-block.ts';

interface SitePage {
  status: number;
  title: string;
  content: Html;
}

interface Rendered {
  title: string;
  body: Html;
  headings: Heading[];
  framed?: Html;
}

const MISSING = {
  title: 'No such page',
  body: html`<h1>Page not found</h1>
<p>The documentation has no page at this address. Search it with <kbd>/</kbd>, or start here:</p>
<ul>
<li><a href="${HOME}">All guides and documents</a></li>
<li><a href="${REFERENCE}">API reference</a></li>
<li><a href="${HOME}/changelog">Changelog</a></li>
</ul>`,
};

/** Each page is rendered at its first request, and cached: their number is fixed. */
export class DocumentationSite {
  readonly #api: OpenApiDocument;
  readonly #settings: LimitSettings;
  readonly #site: Site;
  readonly #endpoints: Map<string, Endpoint>;
  readonly #rendered = new Map<string, Promise<Rendered>>();
  #searchText: Promise<string> | undefined;

  constructor(api: OpenApiDocument, settings: LimitSettings) {
    this.#api = api;
    this.#settings = settings;
    const areas = areasOf(api);
    this.#site = { documents: [...library().values()], areas };
    this.#endpoints = new Map(areas.flatMap(({ endpoints }) => endpoints.map((endpoint) => [endpoint.address, endpoint])));
  }

  async page(address: string, publicUrl: string): Promise<SitePage> {
    const rendered = await this.#render(address);
    if (!rendered) return { status: 404, title: MISSING.title, content: frame(this.#site, address, MISSING.body) };
    if (!rendered.framed) await setImmediate();
    rendered.framed ??= frame(this.#site, address, rendered.body, rendered.headings);
    return { status: 200, title: rendered.title, content: withAddress(rendered.framed, publicUrl) };
  }

  /** The index of the search, as JSON. Rendering all pages for it yields to other requests in between. */
  searchText(): Promise<string> {
    this.#searchText ??= this.#readSections().then((sections) => JSON.stringify(sections));
    return this.#searchText;
  }

  async #readSections(): Promise<Section[]> {
    const sections: Section[] = [];
    for (const address of [...library().keys(), ...this.#endpoints.keys(), OBJECTS]) {
      const rendered = await this.#render(address);
      if (!rendered) continue;
      const endpoint = this.#endpoints.get(address);
      sections.push(...sectionsOf(address, rendered.title, rendered.body, endpoint && `${endpoint.method} ${endpoint.path}`));
      await setImmediate();
    }
    return sections;
  }

  /** Returns undefined for an address without a page, which is not cached: anybody can invent one. */
  #render(address: string): Promise<Rendered> | undefined {
    const kept = this.#rendered.get(address);
    if (kept) return kept;
    const reference = this.#reference(address);
    const rendered = reference ? Promise.resolve(reference) : document(address, this.#settings);
    if (rendered) this.#rendered.set(address, rendered);
    return rendered;
  }

  #reference(address: string): Rendered | undefined {
    if (address === REFERENCE) return { title: 'API reference', ...overview(this.#api) };
    if (address === OBJECTS) return { title: 'Objects', ...objects(this.#api) };
    const endpoint = this.#endpoints.get(address);
    return endpoint && { title: endpoint.title, body: operationBody(endpoint, this.#api), headings: [] };
  }
}

function document(address: string, settings: LimitSettings): Promise<Rendered> | undefined {
  const found = library().get(address);
  if (!found) return undefined;
  const { file, title } = found;
  const markdown = withLimitsInUse(file, found.markdown, settings);
  return renderInSteps(markdown, (link) => documentOf(file, link)?.address).then((page) => ({ title, ...page }));
}

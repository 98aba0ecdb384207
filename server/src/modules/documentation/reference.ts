import { type Html, html } from '../../contract/html.ts';
import type { OpenApiDocument } from '../../http/openapi.ts';
import { fieldList, OBJECTS, prose } from './fields.ts';
import { anchorLink, type Heading } from './markdown.ts';
import { methodTag } from './operation-page.ts';
import { type Area, areasOf } from './operations.ts';

interface ReferencePage {
  body: Html;
  headings: Heading[];
}

export function overview(document: OpenApiDocument): ReferencePage {
  const { info } = document;
  const areas = areasOf(document);
  const headings = areas.map(({ name }) => ({ depth: 2, anchor: anchorOf(name), name }));
  const body = html`<h1>API reference</h1>
<p>${info.description}</p>
<p class="soft">Version ${info.version} · <a href="/openapi.json">openapi.json</a> · <a href="${OBJECTS}">objects</a> · <a href="/docs/errors">errors</a> · <a href="/docs/limits">limits</a></p>
<ul>
<li>Send your key with every request: <code>Authorization: Bearer wb_…</code>. Members send their session cookie and <code>Waybill-Business</code>.</li>
<li>Bodies are JSON in UTF-8. Fields and parameters that an endpoint does not know are errors, so that a typo loses no data.</li>
<li>Lists come in pages: pass <code>next_cursor</code> back as <code>cursor</code>, until it is null.</li>
<li>Every response has <code>X-Request-Id</code>. Errors have a <a href="/docs/errors"><code>code</code></a> for programs and a message for people.</li>
<li>Examples on these pages were recorded from a running service.</li>
</ul>
${areas.map(areaSection)}`;
  return { body, headings };
}

function areaSection({ name, endpoints }: Area): Html {
  const anchor = anchorOf(name);
  return html`<h2 id="${anchor}">${name}${anchorLink(anchor, name)}</h2>
<ul class="endpoints">${endpoints.map(({ address, method, path, title, operation }) => html`<li id="${operation.operationId}">${methodTag(method)} <a href="${address}">${title}</a> <code>${path}</code></li>`)}</ul>`;
}

export function objects({ components }: OpenApiDocument): ReferencePage {
  const entries = Object.entries(components.schemas).toSorted(([a], [b]) => a.localeCompare(b));
  const headings = entries.map(([name]) => ({ depth: 2, anchor: name, name }));
  const sections = entries.map(([name, schema]) => {
    const about = schema.description !== undefined && html`<p>${prose(schema.description)}</p>`;
    return html`<h2 id="${name}">${name}${anchorLink(name, name)}</h2>${about}${fieldList(schema, components.schemas, false)}`;
  });
  return { body: html`<h1>Objects</h1><p>Shapes that several endpoints take or return.</p>${sections}`, headings };
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

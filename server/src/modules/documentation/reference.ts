import { errorCatalogue } from '../../contract/errors.ts';
import { type Html, html } from '../../contract/html.ts';
import type { Auth } from '../../http/endpoint.ts';
import type { OpenApiDocument, Operation } from '../../http/openapi.ts';
import type { Parameter } from '../../http/openapi-parts.ts';
import type { Schema } from '../../http/openapi-schema.ts';
import { anchorLink } from './markdown.ts';

/** A readable reference, generated from the OpenAPI document. */
export function referenceBody(document: OpenApiDocument): Html {
  const { info, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return html`<div class="reference">
<h1>API reference</h1>
<p>${info.description}</p>
<p class="soft">Version ${info.version} · <a href="/openapi.json">openapi.json</a></p>
<p>Send your key with every request: <code>Authorization: Bearer wb_…</code>. Lists come in pages: pass <code>next_cursor</code> back as <code>cursor</code>.
Every response carries <code>X-Request-Id</code>.</p>
<nav class="contents" aria-label="Contents"><ul>
${operations.map(({ method, path, operation }) => html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a></li>`)}
</ul><ul>
${Object.keys(components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
<li><a href="#errors">Errors</a></li>
</ul></nav>
${operations.map(({ method, path, operation }) => operationSection(method, path, operation))}
${Object.entries(components.schemas).map(([name, schema]) => html`<h2 id="schema-${name}">${name}${anchorLink(`schema-${name}`, name)}</h2>${describe(schema)}${fieldTable(schema)}`)}
<h2 id="errors">Errors${anchorLink('errors', 'Errors')}</h2>
<p>Every refusal has the shape of <a href="#schema-Error">Error</a>.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>When</th></tr></thead><tbody>
${Object.entries(errorCatalogue).map(([code, [status, when]]) => html`<tr><td><code>${code}</code></td><td>${status}</td><td>${prose(when)}</td></tr>`)}
</tbody></table></div>`;
}

const AUTH_WORDS: Record<Auth, string> = {
  key: 'any key',
  'key rw': 'key with read_write',
  public: 'no key',
  'public unlimited': 'no key',
  person: 'signed in',
  member: 'member',
  admin: 'admin or owner',
  owner: 'owner',
};

function operationSection(method: string, path: string, operation: Operation): Html {
  const body = operation.requestBody?.content['application/json']?.schema;
  const form = operation.requestBody?.content['multipart/form-data']?.schema;
  const [[status, success] = ['', undefined]] = Object.entries(operation.responses);
  const schema = Object.values(success?.content ?? {})[0]?.schema;
  const codes = Object.values(operation.responses).flatMap((response) => response['x-error-codes'] ?? []);
  return html`<h2 class="operation" id="${operation.operationId}"><span class="method">${method}</span><code>${path}</code><span class="tag">${AUTH_WORDS[operation['x-auth']]}</span>${anchorLink(operation.operationId, `${method} ${path}`)}</h2>
<p>${operation.summary}.</p>${operation.description && html`<p class="soft">${prose(operation.description)}</p>`}
${operation.parameters.length > 0 && html`<h3>Parameters</h3>${parameterTable(operation.parameters)}`}
${body && html`<h3>Body</h3>${fieldTableOrLink(body)}`}${form && html`<p>As multipart/form-data: ${typeWords(form)}</p>`}
<h3>HttpResponse</h3><p>${status}: ${success?.description} ${schema?.type !== 'object' && schema && typeWords(schema)}</p>${schema?.type === 'object' && fieldTable(schema)}
${codes.length > 0 && html`<h3>Errors</h3><p>${codes.map((code, i) => html`${i > 0 && ', '}<a href="#errors"><code>${code}</code></a>`)}</p>`}`;
}

function parameterTable(parameters: Parameter[]): Html {
  return html`<table><thead><tr><th>Name</th><th>In</th><th>Form</th><th>Meaning</th></tr></thead><tbody>
${parameters.map(({ name, in: place, required, schema, description }) => html`<tr><td><code>${name}</code></td><td>${place}</td><td>${typeWords(schema)}${required && ', required'}</td><td>${prose(description)}</td></tr>`)}
</tbody></table>`;
}

function fieldTableOrLink(schema: Schema): Html | false {
  return schema.$ref !== undefined ? html`<p>${typeWords(schema)}</p>` : fieldTable(schema);
}

function fieldTable(schema: Schema): Html | false {
  if (schema.anyOf) return html`${schema.anyOf.map((variant) => html`<h3>or</h3>${fieldTable(variant)}`)}`;
  const properties = Object.entries(schema.properties ?? {});
  const required = schema.required ?? [];
  if (properties.length === 0) return false;
  return html`<table><thead><tr><th>Field</th><th>Form</th><th>Meaning</th></tr></thead><tbody>
${properties.map(([name, field]) => html`<tr><td><code>${name}</code></td><td>${typeWords(field)}${!required.includes(name) && ', optional'}</td><td>${prose(field.description)}${nestedTable(field)}</td></tr>`)}
</tbody></table>`;
}

function nestedTable(field: Schema): Html | false {
  if (field.type === 'object') return fieldTable(field);
  return field.items?.type === 'object' ? fieldTable(field.items) : false;
}

function describe(schema: Schema): Html | false {
  return schema.description !== undefined && html`<p>${prose(schema.description)}</p>`;
}

/** A schema in a few words. */
function typeWords(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.anyOf) return html`${schema.anyOf.map((one, i) => html`${i > 0 && ' or '}${typeWords(one)}`)}`;
  if (schema.enum) return html`${schema.enum.map((value, i) => html`${i > 0 && ' or '}<code>${value}</code>`)}`;
  if ('const' in schema) return html`<code>${schema.const}</code>`;
  if (schema.type === 'array') return html`array of ${typeWords(schema.items ?? {})}`;
  const bounds = [
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.maximum !== undefined && `${schema.minimum} to ${schema.maximum}`,
  ].filter((bound) => bound !== false);
  return html`${schema.format ?? schema.type ?? 'any JSON value'}${bounds.length > 0 && html` <span class="soft">(${bounds.join(', ')})</span>`}`;
}

/** Renders text in which backticks mark code. */
function prose(text: unknown): Html | false {
  if (typeof text !== 'string') return false;
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

import { type Html, html } from '../../contract/html.ts';
import { type Auth, EVENT_STREAM } from '../../http/endpoint.ts';
import type { OpenApiDocument } from '../../http/openapi.ts';
import type { Schema } from '../../http/openapi-schema.ts';
import { fieldList, parameterList, prose, typeWords } from './fields.ts';
import { anchorLink } from './markdown.ts';
import type { Endpoint } from './operations.ts';
import { exampleOf } from './recorded-examples.ts';
import { requestSamples, responseSample } from './samples.ts';
import { tryForm } from './try-form.ts';

const WHO: Record<Auth, string> = {
  key: 'Any key, or a signed-in member',
  'key rw': 'A key with scope read_write, or a signed-in member',
  public: 'Everybody',
  'public unlimited': 'Everybody who has the signed URL',
  person: 'A signed-in person',
  member: 'A signed-in member',
  admin: 'A signed-in admin or owner',
  owner: 'A signed-in owner',
};

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

export function operationBody({ method, path, title, operation }: Endpoint, { components }: OpenApiDocument): Html {
  const { operationId, description, parameters, requestBody, responses } = operation;
  const example = exampleOf(operationId);
  const codes = Object.values(responses).flatMap((response) => response['x-error-codes'] ?? []);
  const body = requestBody?.content['application/json']?.schema;
  const form = requestBody?.content['multipart/form-data']?.schema;
  return html`<div class="columns"><div class="text">
<h1>${title}</h1>
<p class="route">${methodTag(method)} <code>${path}</code></p>
${description !== undefined && html`<p>${prose(description)}</p>`}
<p class="who"><span>Who may call it</span> ${WHO[operation['x-auth']]}</p>
${Object.entries(PLACES).map(([place, name]) => {
  const there = parameters.filter((parameter) => parameter.in === place);
  return there.length > 0 && html`${heading(name)}${parameterList(there)}`;
})}
${body && html`${heading('Body')}${fieldList(body, components.schemas, true) ?? html`<p>${typeWords(body)}</p>`}`}
${form && html`${heading('Body as a form')}<p>The same as <code>multipart/form-data</code>, for files of up to 25 MB.</p>${fieldList(form, components.schemas, true)}`}
${heading('Response')}${successes(responses, components.schemas)}
${codes.length > 0 && html`${heading('Errors')}<ul class="codes">${[...new Set(codes)].map((code) => html`<li><a href="/docs/errors#${code}"><code>${code}</code></a></li>`)}</ul>`}
</div><div class="beside">
${example && html`${requestSamples(path, example)}${responseSample(example)}`}
${isTriable(operation['x-auth'], path, responses) && tryForm(method, path, parameters, example)}
</div></div>`;
}

export function methodTag(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function heading(name: string): Html {
  const anchor = name.toLowerCase().replaceAll(' ', '-');
  return html`<h2 id="${anchor}">${name}${anchorLink(anchor, name)}</h2>`;
}

function successes(responses: Endpoint['operation']['responses'], schemas: Record<string, Schema>): Html {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return html`${good.map(([status, { description, content }]) => {
    const [type, { schema } = {}] = Object.entries(content ?? {})[0] ?? [];
    const fields = schema && type === 'application/json' ? fieldList(schema, schemas, false) : undefined;
    return html`<p><span class="status">${status}</span> ${prose(description)}${schema?.$ref !== undefined && html` ${typeWords(schema)}`}</p>${fields}`;
  })}`;
}

/** The page can try the request with a key, or without one. Streams and bytes of files are excluded. */
function isTriable(auth: Auth, path: string, responses: Endpoint['operation']['responses']): boolean {
  const isStream = Object.values(responses).some(({ content }) => content !== undefined && EVENT_STREAM in content);
  return (auth === 'key' || auth === 'key rw' || auth === 'public') && path.startsWith('/v1/') && !isStream;
}

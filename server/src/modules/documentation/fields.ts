import { type Html, html } from '../../contract/html.ts';
import type { Parameter } from '../../http/openapi-parts.ts';
import { component, type Schema, type Schemas } from '../../http/openapi-schema.ts';
import { REFERENCE } from './library.ts';

export const OBJECTS = `${REFERENCE}/objects`;

export function parameterList(parameters: Parameter[]): Html {
  return html`<ul class="fields">${parameters.map(({ name, required, schema, description }) => field(name, required, { ...schema, ...(description !== undefined && { description }) }))}</ul>`;
}

export function fieldList(schema: Schema, schemas: Schemas, isRequest: boolean): Html | undefined {
  return listed(schema, { schemas, isRequest, above: [] });
}

interface FieldPath {
  schemas: Schemas;
  isRequest: boolean;
  /** The surrounding components, of which none is shown again inside itself. */
  above: string[];
}

function listed(schema: Schema, place: FieldPath): Html | undefined {
  if (schema.$ref !== undefined) {
    const { name, schema: found } = component(schema.$ref, place.schemas);
    return place.above.includes(name) ? undefined : listed(found, { ...place, above: [...place.above, name] });
  }
  if (schema.anyOf) {
    const variants = schema.anyOf.flatMap((variant) => listed(variant, place) ?? []);
    return variants.length === 0
      ? undefined
      : html`${variants.map((variant, i) => html`${i > 0 && html`<p class="or">or</p>`}${variant}`)}`;
  }
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return undefined;
  const required = schema.required ?? [];
  const rows = properties.map(([name, value]) => {
    const inner = listed(value.items ?? value, place);
    return field(name, place.isRequest && required.includes(name), value, inner);
  });
  return html`<ul class="fields">${rows}</ul>`;
}

function field(name: string, required: boolean, schema: Schema, inner?: Html): Html {
  return html`<li><p class="field"><code>${name}</code> <span class="type">${typeWords(schema)}</span>${required && html` <span class="required">required</span>`}</p>
${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}${inner && html`<details><summary>Fields of <code>${name}</code></summary>${inner}</details>`}</li>`;
}

export function typeWords(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    return html`<a href="${OBJECTS}#${name}">${name}</a>`;
  }
  if (schema.anyOf) return joined(schema.anyOf.map(typeWords));
  if (schema.enum) return joined(schema.enum.map((value) => html`<code>${value}</code>`));
  if ('const' in schema) return html`<code>${schema.const}</code>`;
  if (schema.type === 'array') return html`array of ${typeWords(schema.items ?? {})}`;
  const bounds = [
    schema.maxLength !== undefined && `at most ${schema.maxLength.toLocaleString('en')} characters`,
    schema.maximum !== undefined && `${(schema.minimum ?? 0).toLocaleString('en')} to ${schema.maximum.toLocaleString('en')}`,
  ].filter((bound) => bound !== false);
  return html`${schema.format ?? schema.type ?? 'any JSON value'}${bounds.length > 0 && `, ${bounds.join(', ')}`}`;
}

function joined(words: Html[]): Html {
  return html`${words.map((one, i) => html`${i > 0 && ' or '}${one}`)}`;
}

export function prose(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

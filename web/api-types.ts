import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { type OpenAPI3 } from 'openapi-typescript';
import { api } from '../server/src/app.ts';
import { openApiDocument } from '../server/src/http/openapi.ts';

/** The types of the API for programs and for the pages, generated from its OpenAPI document by `npm run api-types`. */
export const FILE = path.join(import.meta.dirname, '../packages/client/src/schema.ts');

/** Names of 0.2, for programs that still use them. They are removed in 0.4. */
const FORMER_NAMES = { Draft: 'SendRequest', DraftForm: 'SendRequestForm', Worker: 'Colleague' };

/** The types of the present route table. Version 7 of openapi-typescript needs the compiler API, which TypeScript 7 lacks. */
export async function currentTypes(): Promise<string> {
  const { openapi, info, paths, components } = openApiDocument(api, '', '');
  const types = await openapiTS(shorten({ openapi, info, paths, components: { schemas: components.schemas } }), { commentHeader: '' });
  const names = Object.keys(components.schemas).map((name) => `export type ${name} = components['schemas']['${name}'];\n`);
  for (const [former, name] of Object.entries(FORMER_NAMES))
    names.push(`/** @deprecated Use ${name}. */\nexport type ${former} = ${name};\n`);
  return `// Generated from the OpenAPI document by \`npm run api-types\`; a test fails when it is out of date.\n\n${types}\n${names.join('')}`;
}

type Json = Record<string, unknown>;

/** Removes what no type depends on, so that the file changes only when the types do. */
function shorten(document: object): OpenAPI3 {
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (['summary', 'description', 'format', 'default'].includes(key) && typeof value !== 'object') return undefined;
    if ((key === 'example' || key === 'headers') && value?.type === undefined) return undefined;
    // All operations have the same error responses, which both clients handle, so only the success is kept.
    if (key === 'responses') return Object.fromEntries(Object.entries(value as Json).slice(0, 1));
    return value?.type === 'object' ? objectSchema(value) : value;
  });
}

/** openapi-typescript ignores patternProperties, and allOf only says which fields go together. */
function objectSchema({ patternProperties, allOf: _, ...rest }: Json): Json {
  return patternProperties ? { ...rest, additionalProperties: Object.values(patternProperties)[0] } : rest;
}

if (import.meta.main) {
  const before = readFileSync(FILE, 'utf8');
  const now = await currentTypes();
  writeFileSync(FILE, now);
  console.log(
    before === now
      ? 'Nothing has changed.'
      : `${FILE} has changed. Run npm run typecheck to see what it means for the pages and the client.`,
  );
}

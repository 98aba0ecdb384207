import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { type OpenAPI3 } from 'openapi-typescript';
import { api } from '../server/src/app.ts';
import { openApiDocument } from '../server/src/http/openapi.ts';

/** The pages know the API by its OpenAPI document alone. `npm run api-types` writes the types of it. */
export const FILE = path.join(import.meta.dirname, 'src/api/schema.ts');

/** The types of the API as the service serves it now. Version 7 of openapi-typescript needs the compiler API that TypeScript 7 lacks. */
export async function currentTypes(): Promise<string> {
  const { openapi, info, paths, components } = openApiDocument(api, '', '');
  const types = await openapiTS(shortened({ openapi, info, paths, components: { schemas: components.schemas } }), { commentHeader: '' });
  const names = Object.keys(components.schemas).map((name) => `export type ${name} = components['schemas']['${name}'];\n`);
  return `// Generated from the OpenAPI document by \`npm run api-types\`; a test fails when it is out of date.\n\n${types}\n${names.join('')}`;
}

type Json = Record<string, unknown>;

/** Without what no type depends on, so that the file changes only when the types do. */
function shortened(document: object): OpenAPI3 {
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (['summary', 'description', 'format', 'default'].includes(key) && typeof value !== 'object') return undefined;
    if ((key === 'example' || key === 'headers') && value?.type === undefined) return undefined;
    // All operations fail alike: client.ts knows how.
    if (key === 'responses') return Object.fromEntries(Object.entries(value as Json).slice(0, 1));
    return value?.type === 'object' ? objectSchema(value) : value;
  });
}

/** As openapi-typescript reads it: it knows no patternProperties, and allOf only says which fields go together. */
function objectSchema({ patternProperties, allOf: _, ...rest }: Json): Json {
  return patternProperties ? { ...rest, additionalProperties: Object.values(patternProperties)[0] } : rest;
}

if (import.meta.main) {
  const before = readFileSync(FILE, 'utf8');
  const now = await currentTypes();
  writeFileSync(FILE, now);
  console.log(before === now ? 'Nothing has changed.' : `${FILE} has changed. Run npm run typecheck to see what it means for the pages.`);
}

import { createRequire } from 'node:module';

/** The drafts of JSON Schema, by the number or year in their names. */
export type Draft = 4 | 6 | 7 | 2019 | 2020;

export const DEFAULT_DRAFT: Draft = 2020;

const URI_OF: Record<Draft, string> = {
  4: 'http://json-schema.org/draft-04/schema',
  6: 'http://json-schema.org/draft-06/schema',
  7: 'http://json-schema.org/draft-07/schema',
  2019: 'https://json-schema.org/draft/2019-09/schema',
  2020: 'https://json-schema.org/draft/2020-12/schema',
};
const DRAFTS: Draft[] = [4, 6, 7, 2019, 2020];

const DOCUMENTS: Record<Draft, string[]> = {
  4: ['ajv-draft-04/dist/refs/json-schema-draft-04.json'],
  6: ['ajv/dist/refs/json-schema-draft-06.json'],
  7: ['ajv/dist/refs/json-schema-draft-07.json'],
  2019: vocabularies('2019-09', ['core', 'applicator', 'validation', 'meta-data', 'format', 'content']),
  2020: vocabularies('2020-12', ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content']),
};

function vocabularies(name: string, parts: string[]): string[] {
  const folder = `ajv/dist/refs/json-schema-${name}`;
  return [`${folder}/schema.json`, ...parts.map((part) => `${folder}/meta/${part}.json`)];
}

export function metaSchemaUri(draft: Draft): string {
  return URI_OF[draft];
}

/** What `$schema` names: with or without a # at the end, by http or https. */
export function draftNamed(uri: string): Draft | undefined {
  const plain = withoutHash(uri).replace(/^https?:/, '');
  return DRAFTS.find((draft) => URI_OF[draft].replace(/^https?:/, '') === plain);
}

/** The draft among whose own documents a URI without fragment is. */
export function draftPublishing(uri: string): Draft | undefined {
  return DRAFTS.find((draft) => withoutHash(uri) === URI_OF[draft] || uri.startsWith(URI_OF[draft].replace(/schema$/, 'meta/')));
}

const require = createRequire(import.meta.url);

export function metaSchemaDocuments(draft: Draft): unknown[] {
  return DOCUMENTS[draft].map((name) => require(name));
}

function withoutHash(uri: string): string {
  return uri.replace(/#$/, '');
}

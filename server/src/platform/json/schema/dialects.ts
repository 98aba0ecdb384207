import { createRequire } from 'node:module';

export type Dialect = 4 | 6 | 7 | 2019 | 2020;

export const DEFAULT_DIALECT: Dialect = 2020;

const URI_OF: Record<Dialect, string> = {
  4: 'http://json-schema.org/draft-04/schema',
  6: 'http://json-schema.org/draft-06/schema',
  7: 'http://json-schema.org/draft-07/schema',
  2019: 'https://json-schema.org/draft/2019-09/schema',
  2020: 'https://json-schema.org/draft/2020-12/schema',
};
const DIALECTS: Dialect[] = [4, 6, 7, 2019, 2020];

const DOCUMENTS: Record<Dialect, string[]> = {
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

export function metaSchemaUri(dialect: Dialect): string {
  return URI_OF[dialect];
}

/** The dialect that `$schema` names, with http or https, with or without a final #. */
export function dialectNamed(uri: string): Dialect | undefined {
  const plain = withoutHash(uri).replace(/^https?:/, '');
  return DIALECTS.find((dialect) => URI_OF[dialect].replace(/^https?:/, '') === plain);
}

export function dialectPublishing(uri: string): Dialect | undefined {
  return DIALECTS.find((dialect) => withoutHash(uri) === URI_OF[dialect] || uri.startsWith(URI_OF[dialect].replace(/schema$/, 'meta/')));
}

const require = createRequire(import.meta.url);

export function metaSchemaDocuments(dialect: Dialect): unknown[] {
  return DOCUMENTS[dialect].map((name) => require(name));
}

function withoutHash(uri: string): string {
  return uri.replace(/#$/, '');
}

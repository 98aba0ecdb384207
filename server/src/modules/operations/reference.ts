import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Context, publicEndpoint } from '../../context.ts';
import type { Route } from '../../http/endpoint.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { HTML_TYPE } from '../../http/page.ts';
import { referencePage } from './reference-page.ts';

const { version } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../../package.json'), 'utf8')) as { version: string };

/** What describes the API, made from the API's own table. */
export function reference(api: readonly Route<Context>[]): Route<Context>[] {
  const describe = ({ publicUrl }: Context) => openApiDocument(api, version, publicUrl);
  const document = publicEndpoint({
    summary: 'This description, for programs',
    success: { status: 200, description: 'OpenAPI 3.1.' },
    errors: [],
    handle: async (context) => ({ body: describe(context) }),
  });
  const pageForPeople = publicEndpoint({
    summary: 'This description, for people',
    success: { status: 200, description: 'HTML.', contentType: HTML_TYPE },
    errors: [],
    handle: async (context) => referencePage(describe(context)),
  });
  return [
    ['GET', '/openapi.json', 'open', document],
    ['GET', '/docs', 'open', pageForPeople],
  ];
}

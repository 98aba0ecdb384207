import { isSchema } from '../../../packages/documents/src/index.ts';
import { call, WaybillError } from '../api/client.ts';
import { keyOf } from '../api/queries.ts';
import type { PublishedDocumentType } from '../api/schema.ts';
import type { KnownType } from './known-type.ts';

const LIST = 'GET /v1/business/document-types';
const OWN = 'GET /v1/business/document-types/{type}';
const PUBLISHED = 'GET /v1/public/{handle}/document-types/{type}';

interface Asked {
  signal: AbortSignal;
}

/** The names of the business's own types. A document is shown without them if they can't be read. */
export const ownNames = () => ({
  queryKey: [...keyOf(LIST, {}), 'names'],
  queryFn: async ({ signal }: Asked): Promise<readonly string[]> => {
    const found = await unlessRefused(call(LIST, {}, { signal }));
    return found?.data.map(({ type }) => type) ?? [];
  },
});

/** It is forgotten with the list, when a type has changed. Null: it is not there. */
export const ownType = (type: string) => ({
  queryKey: [...keyOf(LIST, {}), 'type', type],
  queryFn: async ({ signal }: Asked) => toKnown(await unlessRefused(call(OWN, { path: { type } }, { signal }))),
});

/** Null, which is remembered, too: the sender publishes no such type. */
export const publishedType = (handle: string, type: string) => ({
  queryKey: [...keyOf(PUBLISHED, { path: { handle, type } }), 'known'],
  queryFn: async ({ signal }: Asked) => toKnown(await unlessRefused(call(PUBLISHED, { path: { handle, type } }, { signal }))),
});

async function unlessRefused<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof WaybillError) return undefined;
    throw failure;
  }
}

function toKnown(found: PublishedDocumentType | undefined): KnownType | null {
  if (!found || !isSchema(found.schema)) return null;
  const { type, title, schema, layout } = found;
  return { type, title, schema, layout, rules: [] };
}

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { membersAt } from '../../../../packages/client/src/json-text.ts';
import { useActiveBusiness } from '../../api/business.ts';
import { JsonText, textOf, type WaybillError } from '../../api/client.ts';
import { keyOf, useAction } from '../../api/queries.ts';

export interface SavedSchema {
  text: string;
  updatedAt: string;
  isPublished: boolean;
}

export function useInboxSchema(): UseQueryResult<SavedSchema | null, WaybillError> {
  useActiveBusiness();
  return useQuery<SavedSchema | null, WaybillError>({
    queryKey: [...keyOf('GET /v1/inbox/schema', {}), 'text'],
    queryFn: async ({ signal }) => savedIn(await textOf('GET /v1/inbox/schema', {}, { signal })),
  });
}

function savedIn(response: string): SavedSchema | null {
  const members = membersAt(response, 0);
  const { updated_at, published } = JSON.parse(response) as { updated_at: string | null; published: boolean };
  const span = members.get('schema');
  return span && updated_at !== null ? { text: response.slice(...span), updatedAt: updated_at, isPublished: published } : null;
}

/** Without a type, the schema is that of the inbox. */
export function useSaveSchema(type?: string) {
  const ofInbox = useAction('PUT /v1/inbox/schema', { changes: ['GET /v1/inbox/schema'] });
  const ofType = useAction('PUT /v1/inbox/schemas/{type}', { changes: ['GET /v1/inbox/schemas'] });
  const { isPending, error } = type === undefined ? ofInbox : ofType;
  const save = (text: string): Promise<unknown> => {
    const body = new JsonText(`{"schema":${text}}`);
    return type === undefined ? ofInbox.mutateAsync({ body }) : ofType.mutateAsync({ path: { type }, body });
  };
  return { save, isPending, error };
}

export async function typeSchemaText(type: string): Promise<string> {
  return memberOf(await textOf('GET /v1/inbox/schemas/{type}', { path: { type } }), 'schema');
}

export function memberOf(response: string, name: string): string {
  return response.slice(...(membersAt(response, 0).get(name) ?? [0, 0]));
}

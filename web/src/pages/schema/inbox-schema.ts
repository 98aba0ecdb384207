import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useActiveBusiness } from '../../api/business.ts';
import { type ApiError, JsonText, textOf } from '../../api/client.ts';
import { keyOf, useAction } from '../../api/queries.ts';
import { membersAt } from '../../json/scan.ts';

export interface SavedSchema {
  /** As it was set, character for character. */
  text: string;
  updatedAt: string;
}

/** Null when there is none. */
export function useInboxSchema(): UseQueryResult<SavedSchema | null, ApiError> {
  useActiveBusiness();
  return useQuery<SavedSchema | null, ApiError>({
    queryKey: [...keyOf('GET /v1/inbox/schema', {}), 'text'],
    queryFn: async ({ signal }) => savedIn(await textOf('GET /v1/inbox/schema', {}, { signal })),
  });
}

function savedIn(answer: string): SavedSchema | null {
  const members = membersAt(answer, 0);
  const { updated_at } = JSON.parse(answer) as { updated_at: string | null };
  const span = members.get('schema');
  return span && updated_at !== null ? { text: answer.slice(...span), updatedAt: updated_at } : null;
}

/** Sends a schema as it stands, or null for none. */
export function useSaveSchema() {
  const action = useAction('PUT /v1/inbox/schema', { changes: ['GET /v1/inbox/schema'] });
  // Also when what asked for it is gone by then, as a schema that is removed takes its page with it.
  const save = (text: string, onSaved: () => void) =>
    void action.mutateAsync({ body: written(`{"schema":${text}}`) }).then(onSaved, () => {});
  return { save, isPending: action.isPending, error: action.error };
}

/** A body that is text already, where its type asks for what the text means. */
export const written = (text: string): never => new JsonText(text) as never;

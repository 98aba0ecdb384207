import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { membersAt } from '../../../../packages/client/src/json-text.ts';
import { textOf, type WaybillError } from '../../api/client.ts';
import { keyOf } from '../../api/queries.ts';

export function useSchemaOf(handle: string): UseQueryResult<string | null, WaybillError> {
  const input = { path: { handle } };
  return useQuery<string | null, WaybillError>({
    queryKey: [...keyOf('GET /v1/public/{handle}/schema', input), 'text'],
    queryFn: async ({ signal }) => {
      const response = await textOf('GET /v1/public/{handle}/schema', input, { signal });
      const span = membersAt(response, 0).get('schema');
      const text = span === undefined ? 'null' : response.slice(...span);
      return text === 'null' ? null : text;
    },
  });
}

import type { QueryClient } from '@tanstack/react-query';

/** What does not depend on who asks. */
const OF_NOBODY: unknown[] = ['GET /v1/public/{handle}', 'GET /v1/sign-in'];

/** After signing in or out, in place: what one person has read is not shown to the next, and what is shown is read anew. */
export function asSomebodyElse(queries: QueryClient): Promise<void> {
  return queries.resetQueries({ predicate: ({ queryKey }) => !OF_NOBODY.includes(queryKey[1]) });
}

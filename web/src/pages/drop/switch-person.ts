import type { QueryClient } from '@tanstack/react-query';

/** These responses are the same for everyone. */
const PUBLIC: unknown[] = ['GET /v1/public/{handle}', 'GET /v1/sign-in'];

/** After a sign-in or sign-out without a navigation: drops the data of the previous person, and reloads what is shown. */
export function switchPerson(queries: QueryClient): Promise<void> {
  return queries.resetQueries({ predicate: ({ queryKey }) => !PUBLIC.includes(queryKey[1]) });
}

import type { QueryClient } from '@tanstack/react-query';

/** Responses that are the same for everyone stay. */
const PUBLIC: unknown[] = ['GET /v1/public/{handle}', 'GET /v1/sign-in'];

/** Called after a sign-in or sign-out without a navigation. Drops the data of the previous person, and reloads the data on the page. */
export function switchPerson(queries: QueryClient): Promise<void> {
  return queries.resetQueries({ predicate: ({ queryKey }) => !PUBLIC.includes(queryKey[1]) });
}

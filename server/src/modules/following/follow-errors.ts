import type { Logger } from 'pino';

/** Shows operators a follower that fails. The table `follower_failures` has the entries that it could not follow, and a sweep tries them again. */
export function tellOfErrors(log: Logger, errors: string | null): void {
  if (errors !== null) log.warn({ errors }, 'a follower failed, and is tried again');
}

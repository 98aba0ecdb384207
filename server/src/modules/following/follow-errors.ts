import type { Logger } from 'pino';

/** Whoever reads the log learns of a follower that fails. What it could not do is in the table `follower_failures`, and is tried again. */
export function tellOfErrors(log: Logger, errors: string | null): void {
  if (errors !== null) log.warn({ errors }, 'a follower failed, and is tried again');
}

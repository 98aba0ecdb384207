import { Refusal } from '../contract/errors.ts';
import { isStoreUnavailable } from './objects/object-store.ts';
import { isUnavailable } from './postgres.ts';

const RETRY_AFTER_S = 2;

/** The refusal for an error that means that the database or the object store can't be reached; undefined for any other error. */
export function unavailability(error: unknown): Refusal | undefined {
  if (!isUnavailable(error) && !isStoreUnavailable(error)) return undefined;
  return new Refusal('unavailable', undefined, { retryAfterS: RETRY_AFTER_S });
}

import { Refusal } from '../../contract/errors.ts';
import { codeOf } from '../../contract/thrown.ts';
import { isStoreUnavailable } from '../objects/object-store.ts';
import { isUnavailable } from '../postgres/postgres.ts';

const RETRY_AFTER_S = 2;

/** Descriptors or buffers of the process or the machine. */
const EXHAUSTED_ERRNO = new Set(['EMFILE', 'ENFILE', 'ENOBUFS']);

/** Something that the process needs is used up for the moment; it comes back when requests end. */
export function isExhaustion(error: unknown): boolean {
  return EXHAUSTED_ERRNO.has(codeOf(error) ?? '');
}

/** Why a request could not be served for now, for the log: the database, the file store, descriptors, or something that the refusal itself names. */
export function causeOf(error: unknown): string {
  if (isExhaustion(error)) return 'descriptors of the process are used up';
  if (isStoreUnavailable(error)) return 'file store unavailable';
  return error instanceof Refusal ? 'request refused for now' : 'database unavailable';
}

/** The refusal for an error that means that the database or the object store can't be reached; undefined for any other error. */
export function unavailability(error: unknown): Refusal | undefined {
  if (!isUnavailable(error) && !isStoreUnavailable(error) && !isExhaustion(error)) return undefined;
  return new Refusal('unavailable', undefined, { retryAfterS: RETRY_AFTER_S });
}

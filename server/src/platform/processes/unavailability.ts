import { Refusal } from '../../contract/errors.ts';
import { codeOf } from '../../contract/thrown.ts';
import { isStoreUnavailable } from '../objects/object-store.ts';
import { isUnavailable } from '../postgres/postgres.ts';

const RETRY_AFTER_S = 2;

/** Descriptors or buffers of the process or the machine are used up. */
const EXHAUSTED_ERRNO = new Set(['EMFILE', 'ENFILE', 'ENOBUFS']);

/** A resource of the process is used up. It becomes free when requests end. */
export function isExhaustion(error: unknown): boolean {
  return EXHAUSTED_ERRNO.has(codeOf(error) ?? '');
}

export function causeOf(error: unknown): string {
  if (isExhaustion(error)) return 'descriptors of the process are used up';
  if (isStoreUnavailable(error)) return 'file store unavailable';
  return error instanceof Refusal ? 'request refused for now' : 'database unavailable';
}

export function unavailability(error: unknown): Refusal | undefined {
  if (!isUnavailable(error) && !isStoreUnavailable(error) && !isExhaustion(error)) return undefined;
  return new Refusal('unavailable', undefined, { retryAfterS: RETRY_AFTER_S });
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from './errors.ts';

const SEAL_BYTES = 12;

/**
 * A cursor holds the key of the last item, sealed with its scope: the list, the business and the filters. A changed cursor, or one of another scope,
 * is refused.
 */
export class Cursors {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  issue(scope: readonly unknown[], lastKey: string): string {
    return Buffer.concat([this.#seal(scope, lastKey), Buffer.from(lastKey)]).toString('base64url');
  }

  open(scope: readonly unknown[], cursor: string | undefined): string | undefined {
    if (cursor === undefined) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    const lastKey = bytes.toString('utf8', SEAL_BYTES);
    const genuine = bytes.length > SEAL_BYTES && timingSafeEqual(bytes.subarray(0, SEAL_BYTES), this.#seal(scope, lastKey));
    if (!genuine || bytes.toString('base64url') !== cursor) {
      throw invalid([{ path: '/cursor', message: 'is not a cursor of this list with these filters; start again without it' }]);
    }
    return lastKey;
  }

  #seal(scope: readonly unknown[], lastKey: string): Buffer {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([scope, lastKey]))
      .digest()
      .subarray(0, SEAL_BYTES);
  }
}

export function pageOf<T>(rows: T[], limit: number, cursorAfter: (last: T) => string): { items: T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorAfter(last) : null };
}

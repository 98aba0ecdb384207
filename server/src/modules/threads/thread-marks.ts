import type { Queryable } from '../../platform/postgres/postgres.ts';
import { marksOf } from './index-store.ts';

/** What tells whether threads of a business have changed: it differs after each change, and after each step of the index. */
export interface ThreadMark {
  partyId: bigint;
  mark: string;
}

/** For each of the parties. */
export function threadMarks(db: Queryable, parties: readonly { partyId: bigint }[]): Promise<ThreadMark[]> {
  return marksOf(
    db,
    parties.map(({ partyId }) => partyId),
  );
}

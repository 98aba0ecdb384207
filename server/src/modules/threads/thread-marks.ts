import type { Queryable } from '../../platform/postgres/postgres.ts';
import { marksOf } from './change-store.ts';

/** A mark differs after each change of a business's threads, and after each step of the index. */
interface ThreadMark {
  partyId: bigint;
  mark: string;
}

export function threadMarks(db: Queryable, parties: readonly { partyId: bigint }[]): Promise<ThreadMark[]> {
  return marksOf(
    db,
    parties.map(({ partyId }) => partyId),
  );
}

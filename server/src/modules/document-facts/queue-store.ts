import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';

/** A thread whose documents are added up again. */
export interface Queued {
  /** The messages of the entries behind the position `after` are read again, too, and nobody is told of what follows. */
  isRebuild: boolean;
  partyId: bigint;
  id: string;
  threadId: string;
  after: string;
}

const TAKE = prepared(
  'take-documents',
  'SELECT is_rebuild, party_id, id, thread_id, after FROM take_queued_documents($1::integer, $2::bigint)',
  { is_rebuild: 'boolean?', party_id: 'bigint?', id: 'uuid?', thread_id: 'uuid?', after: 'bigint?' },
);

/** Takes threads of several businesses, those after a party first. 'busy': another worker does it in this shard, until the transaction ends. */
export async function takeQueued(tx: Queryable, rowsMax: number, afterParty: bigint): Promise<Queued[] | 'busy'> {
  const rows = await tx.query(TAKE, [rowsMax, afterParty]);
  if (rows.length === 1 && rows[0]?.party_id === null) return 'busy';
  return rows.flatMap(({ is_rebuild, party_id, id, thread_id, after }) =>
    is_rebuild === null || party_id === null || id === null || thread_id === null || after === null
      ? []
      : [{ isRebuild: is_rebuild, partyId: BigInt(party_id), id, threadId: thread_id, after }],
  );
}

const KEYS = 'unnest($1::boolean[], $2::bigint[], $3::uuid[])';
const DELETE = statement(
  `DELETE FROM document_queue q USING ${KEYS} AS k (is_rebuild, party_id, id)
    WHERE q.is_rebuild = k.is_rebuild AND q.party_id = k.party_id AND q.id = k.id`,
);

export async function deleteQueued(tx: Queryable, done: readonly Queued[]): Promise<void> {
  if (done.length === 0) return;
  const flags = done.map(({ isRebuild }) => isRebuild);
  await tx.query(DELETE, [flags, bigintArray(done.map(({ partyId }) => partyId)), uuidArray(done.map(({ id }) => id))]);
}

const ADVANCE = statement('UPDATE document_queue SET after = $4 WHERE is_rebuild = $1 AND party_id = $2 AND id = $3');

/** The rest of a long thread is read in a later round. */
export async function advanceQueued(tx: Queryable, { isRebuild, partyId, id }: Queued, through: string): Promise<void> {
  await tx.query(ADVANCE, [isRebuild, partyId, id, through]);
}

const COUNT = statement('SELECT count(*) FROM document_queue', { count: 'bigint' });

export async function countQueued(db: Queryable): Promise<number> {
  return Number(onlyRow(await db.query(COUNT)).count);
}

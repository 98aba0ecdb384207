import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';

const INDEX = prepared('index-search-queue', 'SELECT entries, last_sender FROM index_search_queue($1::integer, $2::bigint)', {
  entries: 'integer?',
  last_sender: 'bigint?',
});

export interface IndexRound {
  entries: number;
  /** The next round begins with the sender after this one. */
  lastSender: bigint;
}

/** Writes the documents of some queued entries. Returns 'busy' while another process does this in the shard. */
export async function indexSome(db: Queryable, entriesMax: number, afterSender: bigint): Promise<IndexRound | 'busy'> {
  const [row] = await db.query(INDEX, [entriesMax, afterSender]);
  return row ? { entries: row.entries ?? 0, lastSender: BigInt(row.last_sender ?? 0) } : 'busy';
}

const COUNT = statement('SELECT count(*) FROM search_queue', { count: 'bigint' });

export async function countQueued(db: Queryable): Promise<number> {
  return Number(onlyRow(await db.query(COUNT)).count);
}

const WRITE_COMMENT = statement('SELECT write_comment_documents($1::bigint, $2::uuid, $3::uuid)', { write_comment_documents: 'void' });

export async function writeComment(tx: Queryable, partyId: bigint, threadId: string, commentId: string): Promise<void> {
  await tx.query(WRITE_COMMENT, [partyId, threadId, commentId]);
}

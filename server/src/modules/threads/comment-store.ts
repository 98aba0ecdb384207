import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, json, namesOf, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';
import { COLLEAGUE_KINDS, type NamedColleague } from './colleagues.ts';

const ROW = columns({
  id: 'uuid',
  author_kind: oneOf('worker_kind', COLLEAGUE_KINDS),
  author_id: 'uuid',
  author_name: 'text',
  text: 'text',
  mentions: json<NamedColleague[]>(),
  created_at: 'timestamptz',
});

export type CommentRow = RowOf<typeof ROW>;

const LIST = statement(
  `SELECT ${namesOf(ROW)} FROM thread_comments WHERE party_id = $1 AND thread_id = $2 AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4`,
  ROW,
);

export async function listComments(
  db: Queryable,
  partyId: bigint,
  threadId: string,
  after: string | undefined,
  limit: number,
): Promise<CommentRow[]> {
  return db.query(LIST, [partyId, threadId, after ?? null, limit]);
}

const INSERT = statement(
  `INSERT INTO thread_comments (party_id, thread_id, id, author_kind, author_id, author_name, text, mentions, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now()) RETURNING ${namesOf(ROW)}`,
  ROW,
);

interface NewComment {
  id: string;
  author: NamedColleague;
  text: string;
  mentions: readonly NamedColleague[];
}

export async function insertComment(
  tx: Queryable,
  partyId: bigint,
  threadId: string,
  { id, author, text, mentions }: NewComment,
): Promise<CommentRow> {
  const values = [partyId, threadId, id, author.kind, author.id, author.name, text, JSON.stringify(mentions)];
  return onlyRow(await tx.query(INSERT, values));
}

const COUNT = statement(
  'SELECT count(*)::integer AS count FROM (SELECT FROM thread_comments WHERE party_id = $1 AND thread_id = $2 LIMIT $3) c',
  { count: 'integer' },
);

export async function countComments(tx: Queryable, partyId: bigint, threadId: string, upTo: number): Promise<number> {
  return onlyRow(await tx.query(COUNT, [partyId, threadId, upTo])).count;
}

const COUNT_ONE_MORE = statement('UPDATE thread_changes SET comments = comments + 1 WHERE party_id = $1 RETURNING comments', {
  comments: 'integer',
});

/**
 * Returns the number of the business's comments, this one included. Call it after noteChange, which serializes the comments of a business.
 */
export async function countOneMore(tx: Queryable, partyId: bigint): Promise<number> {
  return onlyRow(await tx.query(COUNT_ONE_MORE, [partyId])).comments;
}

import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

const POSITION = statement('SELECT pg_current_wal_lsn()::text AS position', { position: 'text' });

export async function positionOnDisk(db: Queryable): Promise<string> {
  return onlyRow(await db.query(POSITION)).position;
}

const STANDBYS = statement(
  `SELECT count(*)::integer AS standbys, count(flush_lsn)::integer AS visible, (count(*) FILTER (WHERE flush_lsn >= $1::pg_lsn))::integer AS caught_up
     FROM pg_stat_replication`,
  { standbys: 'integer', visible: 'integer', caught_up: 'integer' },
);

export async function standbysAt(db: Queryable, position: string) {
  return onlyRow(await db.query(STANDBYS, [position]));
}

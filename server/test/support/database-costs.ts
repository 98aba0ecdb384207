import type pg from 'pg';

/** What some work costs a PostgreSQL that has nothing else to do: counts, which do not depend on the speed of the machine. */
export interface DatabaseCosts {
  roundTrips: number;
  /** Statements that functions run are counted, too. */
  statements: number;
  /** Key: table. */
  rows: Record<string, number>;
  /** Key: table. */
  indexEntries: Record<string, number>;
  /** Without images and splits of pages, which depend on what is there already. */
  walBytes: number;
}

const CALLS = `SELECT coalesce(sum(calls) FILTER (WHERE toplevel), 0)::integer AS "roundTrips", coalesce(sum(calls), 0)::integer AS statements
  FROM pg_stat_statements WHERE query NOT LIKE '%pg\\_%'`;

/** A split of an index's page has the new entry in its own record. Records of upper levels are no entries. */
const WRITES = `
  SELECT coalesce(i.indrelid, c.oid)::regclass::text AS "table", i.indrelid IS NOT NULL AS "isIndex", count(*)::integer AS count
    FROM pg_get_wal_block_info($1, $2) b
    JOIN pg_class c ON c.oid = pg_filenode_relation(b.reltablespace, b.relfilenode)
    LEFT JOIN pg_index i ON i.indexrelid = c.oid
   WHERE b.block_id = 0 AND b.relforknumber = 0 AND c.relnamespace <> 'pg_catalog'::regnamespace
     AND (b.resource_manager = 'Heap' AND b.record_type ~ '^(INSERT|UPDATE|HOT_UPDATE|DELETE)'
          OR b.resource_manager = 'Btree' AND b.record_type ~ '^(INSERT_LEAF|INSERT_POST|SPLIT)' OR b.resource_manager = 'Gin' AND b.record_type ~ '^(INSERT|UPDATE_META)')
   GROUP BY 1, 2 ORDER BY 1`;

const WAL_BYTES = `SELECT coalesce(sum(record_size), 0)::integer AS "walBytes" FROM pg_get_wal_stats($1, $2, true)
  WHERE "resource_manager/record_type" ~ '^(Heap/|Btree/INSERT|Gin/|Transaction/)'`;

export async function prepareCosts(watch: pg.Client): Promise<void> {
  await watch.query('CREATE EXTENSION pg_stat_statements');
  await watch.query('CREATE EXTENSION pg_walinspect');
}

export async function costsOf(watch: pg.Client, work: () => Promise<void>): Promise<DatabaseCosts> {
  const place = async () => (await watch.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn')).rows[0]?.lsn;
  await watch.query('SELECT pg_stat_statements_reset()');
  const from = await place();
  await work();
  const range = [from, await place()];
  const { rows: calls } = await watch.query(CALLS);
  // Of a range without a record, PostgreSQL reports an error.
  if (range[0] === range[1]) return { ...calls[0], rows: {}, indexEntries: {}, walBytes: 0 };
  const { rows: writes } = await watch.query<{ table: string; isIndex: boolean; count: number }>(WRITES, range);
  const { rows: wal } = await watch.query(WAL_BYTES, range);
  const written = (isIndex: boolean) =>
    Object.fromEntries(writes.filter((one) => one.isIndex === isIndex).map(({ table, count }) => [table, count]));
  return { ...calls[0], rows: written(false), indexEntries: written(true), ...wal[0] };
}

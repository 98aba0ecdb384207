import type { Logger } from 'pino';
import type { Connection } from './database-hosts.ts';
import { Database } from './postgres.ts';
import { pathOf, schemaOf } from './shard-names.ts';
import { isCitus } from './sql-functions.ts';

/** Connections of a process to all shards together, for single statements. */
const CONNECTIONS_TO_SHARDS = 32;
const CONNECTIONS_TO_A_SHARD_MIN = 4;

/** A node of Citus, as its other nodes reach it. */
interface Node {
  host: string;
  port: number;
}

/** Makes the database use its shards, if it has been distributed (`waybill distribute`). */
export async function openShards(database: Database, connection: Connection, log: Logger): Promise<void> {
  const [row] = await database.queryText<{ count: number }>('SELECT count(*)::integer AS count FROM shards');
  const count = row?.count ?? 0;
  if (count === 0) return;
  const hasCitus = await isCitus(database);
  const nodes = hasCitus ? await nodesOf(database, count) : [];
  // Citus plans most writes only for the values at hand.
  const more = hasCitus ? ' -c plan_cache_mode=force_custom_plan' : '';
  const poolSize = Math.max(CONNECTIONS_TO_A_SHARD_MIN, Math.floor(CONNECTIONS_TO_SHARDS / count));
  const shards = Array.from({ length: count }, (_, shard) => {
    const through = { ...connection, options: `-c search_path=${pathOf(shard).replaceAll(' ', '')}${more}` };
    const node = nodes[shard];
    if (node === undefined) return new Database(through, log, { poolSize });
    return new Database(withNode(through, node), log, { transactions: through, poolSize });
  });
  database.setShards(shards, hasCitus);
}

/**
 * The node that has each shard, on Citus. There, a statement that comes to the node itself takes one hop less, and a function runs
 * beside its tables. When a shard moves, the former node passes statements on until the process is started again.
 */
async function nodesOf(database: Database, count: number): Promise<(Node | undefined)[]> {
  const rows = await database.queryText<Node & { schema: string }>(
    `SELECT DISTINCT n.nspname AS schema, s.nodename AS host, s.nodeport AS port
       FROM citus_shards s JOIN pg_class c ON c.oid = s.table_name JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relname = 'ledgers'`,
  );
  return Array.from({ length: count }, (_, shard) => rows.find(({ schema }) => schema === schemaOf(shard)));
}

/** The same user, password and database on another node. A list of hosts leads to the coordinator, which passes statements on. */
function withNode(connection: Connection, { host, port }: Node): Connection {
  if (connection.connectionString === undefined) return connection;
  const url = new URL(connection.connectionString);
  url.hostname = host;
  url.port = String(port);
  return { ...connection, connectionString: url.href };
}

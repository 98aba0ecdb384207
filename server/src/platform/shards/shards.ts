import type { Logger } from 'pino';
import { SCHEMA_FOLDERS } from '../migrations/migrate.ts';
import { placeFunctions } from '../migrations/native-functions.ts';
import { functionsIn, isCitus } from '../migrations/sql-functions.ts';
import type { Connection } from '../postgres/database-hosts.ts';
import { Database, pathOf, schemaOf } from '../postgres/postgres.ts';
import { WriteProbe } from '../postgres/write-probe.ts';

/** The connections of a process to all shards together, for single statements. */
const CONNECTIONS_TO_SHARDS = 32;
const CONNECTIONS_TO_A_SHARD_MIN = 4;
/** The interval of checks whether Citus has moved a shard. Until the next one, the former node passes statements on. */
const FOLLOW_MS = 5_000;

interface Node {
  host: string;
  port: number;
}

const nameOf = ({ host, port }: Node) => `${host}:${port}`;
const isSame = (one: Node, other: Node) => nameOf(one) === nameOf(other);

/**
 * Makes the database use its shards, if it is distributed (`waybill distribute`). On Citus, it follows moved shards until the returned function is
 * called.
 */
export async function openShards(database: Database, connection: Connection, log: Logger): Promise<() => void> {
  const [row] = await database.queryText<{ count: number }>('SELECT count(*)::integer AS count FROM shards');
  const count = row?.count ?? 0;
  if (count === 0) return () => {};
  const hasCitus = await isCitus(database);
  const nodes = hasCitus ? await nodesOf(database, count) : [];
  // Citus plans most writes only for the values at hand.
  const more = hasCitus ? ' -c plan_cache_mode=force_custom_plan' : '';
  const poolSize = Math.max(CONNECTIONS_TO_A_SHARD_MIN, Math.floor(CONNECTIONS_TO_SHARDS / count));
  const through = (shard: number): Connection => ({
    ...connection,
    options: `-c search_path=${pathOf(shard).replaceAll(' ', '')}${more}`,
  });
  const probes = new Map<string, WriteProbe>();
  /** Transactions go through the coordinator. */
  const writesOn = (node: Node): WriteProbe[] => {
    const breakAll = () => {
      for (const [number, shard] of shards.entries()) if (nodes[number] && isSame(nodes[number], node)) shard.breakConnections();
    };
    const probe = probes.get(nameOf(node)) ?? new WriteProbe(withNode(connection, node), breakAll, log, nameOf(node));
    probes.set(nameOf(node), probe);
    return [probe, ...database.writes];
  };
  const shards: Database[] = Array.from({ length: count }, (_, shard) => {
    const node = nodes[shard];
    if (node === undefined) return new Database(through(shard), log, { poolSize, writes: database.writes });
    return new Database(withNode(through(shard), node), log, { transactions: through(shard), poolSize, writes: writesOn(node) });
  });
  database.setShards(shards, hasCitus);
  if (!hasCitus) return () => {};
  const functions = functionsIn(SCHEMA_FOLDERS.functions);
  for (const [number, shard] of shards.entries()) if (nodes[number] !== undefined) await placeFunctions(shard, number, functions);

  const follow = async () => {
    for (const [number, node] of (await nodesOf(database, count)).entries()) {
      const [shard, known] = [shards[number], nodes[number]];
      if (!shard || !node || !known || isSame(node, known)) continue;
      log.info({ shard: number, node: nameOf(node) }, 'a shard has moved to another node');
      shard.moveTo(withNode(through(number), node), writesOn(node));
      nodes[number] = node;
      await placeFunctions(shard, number, functions);
    }
  };
  let following = Promise.resolve();
  const timer = setInterval(() => {
    following = following.then(follow).catch((error) => log.warn({ reason: error.message }, 'the nodes of shards could not be read'));
  }, FOLLOW_MS).unref();
  return () => clearInterval(timer);
}

/** The node of each shard, on Citus. A statement sent to the node itself takes one hop less, and a function runs beside its tables. */
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

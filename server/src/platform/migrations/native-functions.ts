import { createHash } from 'node:crypto';
import { type Database, pathOf, schemaOf, type TextQueryable, transactionOn } from '../postgres/postgres.ts';
import type { SqlFunction } from './sql-functions.ts';

/**
 * Citus plans each statement of a function again on each call, which took most of the time of a batch of messages. So each node has a native schema
 * for each of its shards: views of the shard's own tables, and copies of our functions. There PostgreSQL plans once, without Citus. In the shard's
 * schema, which is searched before `public`, a function of the same signature calls the copy while the shard is on this node.
 * Otherwise it calls the function in `public`, which Citus sends on.
 */
interface Table {
  name: string;
  place: string;
  isShared: boolean;
}

/** A call locks this table to know that its shard is here. All tables of a shard move together. */
const MARK = 'ledgers';
/** The reference tables that functions only read, on each node. Citus writes those that functions change, on all nodes. */
const SHARED_TABLES = ['parties', 'verified_domains', 'people', 'members'];

export function nativeSchemaOf(shard: number): string {
  return `${schemaOf(shard)}_here`;
}

export async function placeFunctions(shard: Database, number: number, functions: readonly SqlFunction[]): Promise<void> {
  const copied = functions.filter(({ sql }) => /\bLANGUAGE plpgsql\b/.test(sql) && !/\bIMMUTABLE\b/.test(sql));
  const client = await shard.pool.connect();
  try {
    const tables = await tablesHere(client, number);
    const mark = tables.find(({ name }) => name === MARK);
    // The shard has moved since its placement was read, or the node is new and has no copy of the shared tables yet.
    if (mark === undefined || tables.filter(({ isShared }) => isShared).length < SHARED_TABLES.length) return;
    const state = createHash('sha256').update(JSON.stringify([tables, copied.map(({ checksum }) => checksum), entrySql.toString()]));
    const version = state.digest('hex');
    await transactionOn(client, async (tx) => {
      await tx.queryText('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [nativeSchemaOf(number)]);
      if ((await versionOf(tx, number)) !== version) await create(tx, number, tables, mark, copied, version);
    });
  } finally {
    client.release();
  }
}

/**
 * Drops the native functions on all nodes, before tables change on which their views depend. Functions in `public` do the work until the
 * processes are restarted.
 */
export async function dropNativeFunctions(tx: TextQueryable, number: number): Promise<void> {
  await tx.queryText('SELECT run_command_on_all_nodes($1)', [`DROP SCHEMA IF EXISTS ${nativeSchemaOf(number)} CASCADE`]);
}

async function versionOf(tx: TextQueryable, number: number): Promise<string | null | undefined> {
  const [row] = await tx.queryText<{ version: string | null }>("SELECT obj_description(to_regnamespace($1), 'pg_namespace') AS version", [
    nativeSchemaOf(number),
  ]);
  return row?.version;
}

async function tablesHere(client: { query: Database['pool']['query'] }, number: number): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.relname AS name, format('%I.%I', n.nspname, c.relname || '_' || s.shardid) AS place, n.nspname = 'public' AS "isShared"
       FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_dist_placement p ON p.shardid = s.shardid JOIN pg_dist_local_group g ON g.groupid = p.groupid
      WHERE n.nspname = $1 OR n.nspname = 'public' AND c.relname = ANY ($2) ORDER BY c.relname`,
    [schemaOf(number), SHARED_TABLES],
  );
  return rows;
}

async function create(
  tx: TextQueryable,
  number: number,
  tables: readonly Table[],
  mark: Table,
  functions: readonly SqlFunction[],
  version: string,
): Promise<void> {
  const native = nativeSchemaOf(number);
  // These statements are for this node alone.
  await tx.queryText('SET LOCAL citus.enable_ddl_propagation = off');
  await tx.queryText('SET LOCAL check_function_bodies = off');
  await tx.queryText(`DROP SCHEMA IF EXISTS ${native} CASCADE`);
  await tx.queryText(`CREATE SCHEMA ${native}`);
  await tx.queryText(`SET LOCAL search_path = ${native}, ${pathOf(number)}`);
  await tx.queryText(guardSql(native, mark.place.slice(mark.place.lastIndexOf('_') + 1)));
  for (const { name, place, isShared } of tables) {
    await tx.queryText(`CREATE VIEW ${native}.${name} AS SELECT * FROM ${place}`);
    if (isShared)
      await tx.queryText(
        `CREATE TRIGGER read_only INSTEAD OF INSERT OR UPDATE OR DELETE ON ${native}.${name} FOR EACH ROW EXECUTE FUNCTION ${native}.refuse_write()`,
      );
  }
  for (const { sql } of functions) await tx.queryText(sql);
  await createEntries(tx, number);
  await tx.queryText(`COMMENT ON SCHEMA ${native} IS '${version}'`);
}

/** Citus takes the same lock for each write, and takes it exclusively while it moves a shard. */
function guardSql(native: string, shardId: string): string {
  return `CREATE FUNCTION ${native}.is_here() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM lock_shard_metadata(5, ARRAY[${shardId}::bigint]);
      RETURN EXISTS (SELECT 1 FROM pg_dist_placement p JOIN pg_dist_local_group g ON g.groupid = p.groupid WHERE p.shardid = ${shardId});
    END $$;
    CREATE FUNCTION ${native}.refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE '% is shared by all nodes and can only be read here', TG_TABLE_NAME;
    END $$`;
}

async function createEntries(tx: TextQueryable, number: number): Promise<void> {
  const former = await tx.queryText<{ signature: string }>(
    'SELECT oid::regprocedure::text AS signature FROM pg_proc WHERE pronamespace = $1::regnamespace',
    [schemaOf(number)],
  );
  for (const { signature } of former) await tx.queryText(`DROP FUNCTION ${signature}`);
  // Functions that only read are called in statements, which Citus may send to other nodes.
  const copies = await tx.queryText<Copy>(
    `SELECT proname AS name, pronargs AS count, pg_get_function_arguments(oid) AS parameters, pg_get_function_result(oid) AS result,
            ARRAY(SELECT quote_ident(proargnames[i]) FROM generate_subscripts(proargmodes, 1) i WHERE proargmodes[i] = 'o' ORDER BY i) AS out
       FROM pg_proc WHERE pronamespace = $1::regnamespace AND provolatile = 'v' AND proname NOT IN ('is_here', 'refuse_write')`,
    [nativeSchemaOf(number)],
  );
  for (const copy of copies) await tx.queryText(entrySql(number, copy));
}

interface Copy {
  [column: string]: unknown;
  name: string;
  count: number;
  parameters: string;
  result: string;
  /** The names of the OUT parameters. */
  out: string[];
}

function entrySql(number: number, { name, count, parameters, result, out }: Copy): string {
  const values = Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ');
  const call = (schema: string) => {
    if (result === 'void') return `PERFORM ${schema}.${name}(${values}); RETURN;`;
    if (/^(TABLE|SETOF)\b/.test(result)) return `RETURN QUERY SELECT * FROM ${schema}.${name}(${values}); RETURN;`;
    if (out.length > 0) return `SELECT * INTO ${out.join(', ')} FROM ${schema}.${name}(${values}); RETURN;`;
    return `RETURN ${schema}.${name}(${values});`;
  };
  const native = nativeSchemaOf(number);
  return `CREATE FUNCTION ${schemaOf(number)}.${name}(${parameters}) RETURNS ${result} LANGUAGE plpgsql
    SET search_path = ${native}, ${pathOf(number)} AS $entry$
    BEGIN
      IF ${native}.is_here() THEN
        ${call(native)}
      END IF;
      PERFORM set_config('search_path', '${pathOf(number)}', true);
      ${call('public')}
    END $entry$`;
}

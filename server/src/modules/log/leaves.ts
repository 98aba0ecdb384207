import { LEAF_BYTES } from '@waybill/proof';
import type { Database } from '../../platform/postgres/postgres.ts';
import { placedBatches } from './batch-store.ts';

export async function readLeaves(database: Database, log: number, from: number, to: number): Promise<Buffer> {
  const found = await Promise.all(database.shards.map((shard) => placedBatches(shard, log, from, to)));
  const batches = found.flat().toSorted((a, b) => a.firstIndex - b.firstIndex);
  const parts: Buffer[] = [];
  let next = from;
  for (const { firstIndex, leaves } of batches) {
    const end = firstIndex + leaves.length / LEAF_BYTES;
    if (end <= from) continue;
    if (firstIndex > next || (firstIndex < next && next !== from)) break;
    parts.push(leaves.subarray((next - firstIndex) * LEAF_BYTES, (Math.min(end, to) - firstIndex) * LEAF_BYTES));
    next = Math.min(end, to);
  }
  if (next !== to) throw new Error(`the leaves of log ${log} from ${next} to ${to} are not in the database`);
  return Buffer.concat(parts);
}

import type { TestBusiness, TestService } from './service.ts';
import { SHARDS } from './sharded.ts';

/** Creates businesses whose rows are in the shard of the first one: between shards, `received_at` and the place in a list may differ a little. */
export async function businessesOfOneShard(service: TestService, ...handles: string[]): Promise<TestBusiness[]> {
  const created: TestBusiness[] = [];
  let first: bigint | undefined;
  for (const handle of handles) {
    while (first !== undefined && ((await nextId(service)) - first) % BigInt(SHARDS || 1) !== 0n)
      await service.business(`filler-${await nextId(service)}`);
    first ??= await nextId(service);
    created.push(await service.business(handle));
  }
  return created;
}

async function nextId(service: TestService): Promise<bigint> {
  const [row] = await service.sql<{ last: string }>('SELECT last_value AS last FROM parties_id_seq');
  return BigInt(row?.last ?? 0) + 1n;
}

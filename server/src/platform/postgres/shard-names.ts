/** A distributed database has schemas shard_0, shard_1 and so on, each with the rows of some parties. Their number is a power of two. */

/** The number of the shard that a party's rows are in. The last byte of a receipt's sender is in its token, so there are 256 at most. */
export function shardOf(partyId: bigint, shards: number): number {
  return shards === 1 ? 0 : Number(partyId & BigInt(shards - 1));
}

export function schemaOf(shard: number): string {
  return `shard_${shard}`;
}

/** Where the names of tables are looked for: in the shard first, then among what all share. */
export function pathOf(shard: number): string {
  return `${schemaOf(shard)}, public`;
}

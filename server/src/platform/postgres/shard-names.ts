/** A distributed database has schemas shard_0, shard_1 and so on, each with the rows of some parties. Their number is a power of two. */

/** The number of the shard that has a party's rows. A receipt's token has only the last byte of its sender, so there are at most 256 shards. */
export function shardOf(partyId: bigint, shards: number): number {
  return shards === 1 ? 0 : Number(partyId & BigInt(shards - 1));
}

export function schemaOf(shard: number): string {
  return `shard_${shard}`;
}

export function pathOf(shard: number): string {
  return `${schemaOf(shard)}, public`;
}

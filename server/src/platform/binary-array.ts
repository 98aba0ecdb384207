import { writeUuid } from '../contract/ids.ts';

/**
 * Arrays in PostgreSQL's binary form. Text arrays would have every payload quoted and escaped here and unquoted there;
 * this way the bytes of a payload go from the request to the database as they came.
 */
const OID = { uuid: 2950, text: 25, bytea: 17, int8: 20, int4: 23 } as const;
const HEADER_BYTES = 20;
const UUID_BYTES = 16;

export type Bytes = Buffer | string;

export function textArray(items: readonly (Bytes | null)[]): Buffer {
  const sizes = items.map((item) => (item === null ? -1 : typeof item === 'string' ? Buffer.byteLength(item) : item.length));
  const size = sizes.reduce((sum, length) => sum + 4 + Math.max(0, length), HEADER_BYTES);
  const array = withHeader(OID.text, items.length, size);
  let at = HEADER_BYTES;
  for (const [i, item] of items.entries()) {
    at = array.writeInt32BE(sizes[i] as number, at);
    if (item !== null) at += typeof item === 'string' ? array.write(item, at) : item.copy(array, at);
  }
  return array;
}

export function byteaArray(items: readonly (Buffer | null)[]): Buffer {
  let size = HEADER_BYTES;
  for (const item of items) size += 4 + (item?.length ?? 0);
  const array = withHeader(OID.bytea, items.length, size);
  let at = HEADER_BYTES;
  for (const item of items) {
    at = array.writeInt32BE(item === null ? -1 : item.length, at);
    if (item !== null) at += item.copy(array, at);
  }
  return array;
}

export function uuidArray(items: readonly (string | null)[]): Buffer {
  const array = withHeader(OID.uuid, items.length, HEADER_BYTES + items.length * (4 + UUID_BYTES));
  let at = HEADER_BYTES;
  for (const item of items) {
    at = array.writeInt32BE(item === null ? -1 : UUID_BYTES, at);
    if (item !== null) at = writeUuid(item, array, at);
  }
  return array.subarray(0, at);
}

export function bigintArray(items: readonly bigint[]): Buffer {
  return fixedWidth(OID.int8, items, 8, (array, item, at) => array.writeBigInt64BE(item, at));
}

export function integerArray(items: readonly number[]): Buffer {
  return fixedWidth(OID.int4, items, 4, (array, item, at) => array.writeInt32BE(item, at));
}

function fixedWidth<T>(
  elementType: number,
  items: readonly T[],
  width: number,
  write: (array: Buffer, item: T, at: number) => number,
): Buffer {
  const array = withHeader(elementType, items.length, HEADER_BYTES + items.length * (4 + width));
  let at = HEADER_BYTES;
  for (const item of items) at = write(array, item, array.writeInt32BE(width, at));
  return array;
}

function withHeader(elementType: number, length: number, size: number): Buffer {
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0); // dimensions
  array.writeInt32BE(1, 4); // may hold nulls
  array.writeInt32BE(elementType, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16); // lower bound
  return array;
}

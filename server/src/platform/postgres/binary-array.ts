import { writeUuid } from '../../contract/ids.ts';

/**
 * Arrays and composite values in PostgreSQL's binary form. As text, every payload would be escaped here and unescaped by
 * PostgreSQL. In binary form, its bytes go from the request to the database unchanged.
 *
 * Types that migrations create have another OID in each database. They are written as OID 0, which needs no look-up and
 * survives a reconnect to another database: the type is that of the statement's parameter (`$1::prepared_message[]`), and
 * PostgreSQL 14 and later compare OIDs of built-in types only.
 */
const OID = { ofMigration: 0, boolean: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, uuid: 2950, uuidArray: 2951 } as const;
const ARRAY_HEADER_BYTES = 20;
const UUID_BYTES = 16;
const NULL_LENGTH = -1;
/** UTF-8 needs at most this many bytes for a UTF-16 unit. */
const BYTES_PER_CHAR_MAX = 3;

const WRITTEN_BY_LOOP_MAX = 24;
const LAST_ASCII = 0x7f;

type Bytes = Buffer | string;

export interface Field<T> {
  oid: number;
  write(writer: BinaryWriter, record: T, index: number): void;
}

type Read<T, V> = (record: T, index: number) => V;

export function textField<T>(read: Read<T, Bytes | null>): Field<T> {
  return { oid: OID.text, write: (writer, record, index) => writer.text(read(record, index)) };
}

export function enumField<T>(read: Read<T, string>): Field<T> {
  return { oid: OID.ofMigration, write: (writer, record, index) => writer.text(read(record, index)) };
}

export function byteaField<T>(read: Read<T, Buffer | null>): Field<T> {
  return { oid: OID.bytea, write: (writer, record, index) => writer.text(read(record, index)) };
}

export function uuidField<T>(read: Read<T, string | null>): Field<T> {
  return { oid: OID.uuid, write: (writer, record, index) => writer.uuid(read(record, index)) };
}

export function uuidsField<T>(read: Read<T, Iterable<string>>): Field<T> {
  return { oid: OID.uuidArray, write: (writer, record, index) => writer.nested(() => writeUuids(writer, [...read(record, index)])) };
}

export function bigintField<T>(read: Read<T, bigint>): Field<T> {
  return { oid: OID.int8, write: (writer, record, index) => writer.bigint(read(record, index)) };
}

export function integerField<T>(read: Read<T, number>): Field<T> {
  return { oid: OID.int4, write: (writer, record, index) => writer.integer(read(record, index)) };
}

export function smallintField<T>(read: Read<T, number | null>): Field<T> {
  return { oid: OID.int2, write: (writer, record, index) => writer.smallint(read(record, index)) };
}

export function booleanField<T>(read: Read<T, boolean>): Field<T> {
  return { oid: OID.boolean, write: (writer, record, index) => writer.boolean(read(record, index)) };
}

/** An array of a composite type with these attributes, in this order. `sizeGuess` avoids copies. */
export function recordArray<T>(fields: readonly Field<T>[], records: readonly T[], sizeGuess = 0): Buffer {
  const writer = new BinaryWriter(Math.max(sizeGuess, ARRAY_HEADER_BYTES));
  writer.arrayHeader(OID.ofMigration, records.length);
  for (const [index, record] of records.entries())
    writer.nested(() => {
      writer.int32(fields.length);
      for (const field of fields) {
        writer.int32(field.oid);
        field.write(writer, record, index);
      }
    });
  return writer.bytes();
}

export function bigintArray(items: readonly bigint[]): Buffer {
  const writer = new BinaryWriter(ARRAY_HEADER_BYTES + items.length * 12);
  writer.arrayHeader(OID.int8, items.length);
  for (const item of items) writer.bigint(item);
  return writer.bytes();
}

/** Reads an element of a `bigint[]`, as PostgreSQL's `array_send` returns it. */
export function bigintAt(array: Buffer, index: number): bigint {
  return array.readBigInt64BE(ARRAY_HEADER_BYTES + index * 12 + 4);
}

export function integerArray(items: readonly number[]): Buffer {
  const writer = new BinaryWriter(ARRAY_HEADER_BYTES + items.length * 8);
  writer.arrayHeader(OID.int4, items.length);
  for (const item of items) writer.integer(item);
  return writer.bytes();
}

export function uuidArray(items: readonly (string | null)[]): Buffer {
  const writer = new BinaryWriter(ARRAY_HEADER_BYTES + items.length * (4 + UUID_BYTES));
  writeUuids(writer, items);
  return writer.bytes();
}

function writeUuids(writer: BinaryWriter, items: readonly (string | null)[]): void {
  writer.arrayHeader(OID.uuid, items.length);
  for (const item of items) writer.uuid(item);
}

class BinaryWriter {
  #buffer: Buffer;
  /** Writes numbers in a fraction of the time of Buffer's methods. */
  #view: DataView;
  #at = 0;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
    this.#view = viewOf(this.#buffer);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }

  arrayHeader(elementType: number, length: number): void {
    this.int32(1); // dimensions
    this.int32(1); // may hold nulls
    this.int32(elementType);
    this.int32(length);
    this.int32(1); // lower bound
  }

  text(value: Bytes | null): void {
    if (value === null) this.int32(NULL_LENGTH);
    else this.#writeBytes(value);
  }

  #writeBytes(value: Bytes): void {
    this.#reserve(4 + value.length * (typeof value === 'string' ? BYTES_PER_CHAR_MAX : 1));
    const start = this.#at + 4;
    const end = typeof value === 'string' ? writeText(value, this.#buffer, start) : start + value.copy(this.#buffer, start);
    this.#view.setInt32(this.#at, end - start);
    this.#at = end;
  }

  uuid(value: string | null): void {
    this.int32(value === null ? NULL_LENGTH : UUID_BYTES);
    if (value === null) return;
    this.#reserve(UUID_BYTES);
    this.#at = writeUuid(value, this.#buffer, this.#at);
  }

  bigint(value: bigint): void {
    this.int32(8);
    this.#reserve(8);
    this.#view.setBigInt64(this.#at, value);
    this.#at += 8;
  }

  integer(value: number): void {
    this.int32(4);
    this.int32(value);
  }

  smallint(value: number | null): void {
    this.int32(value === null ? NULL_LENGTH : 2);
    if (value === null) return;
    this.#reserve(2);
    this.#view.setInt16(this.#at, value);
    this.#at += 2;
  }

  boolean(value: boolean): void {
    this.int32(1);
    this.#reserve(1);
    this.#at = this.#buffer.writeUInt8(value ? 1 : 0, this.#at);
  }

  /** Writes a value whose length is known only after `write`. */
  nested(write: () => void): void {
    const start = this.#at;
    this.int32(0);
    write();
    this.#view.setInt32(start, this.#at - start - 4);
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + size));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Returns the end of the text in UTF-8. Most texts are short and ASCII, for which a loop is faster than Buffer.write. */
function writeText(text: string, target: Buffer, start: number): number {
  if (text.length > WRITTEN_BY_LOOP_MAX) return start + target.write(text, start);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > LAST_ASCII) return start + target.write(text, start);
    target[start + i] = code;
  }
  return start + text.length;
}

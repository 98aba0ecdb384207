/** Larger named objects are not read. */
export const NAMED_OBJECT_MAX_BYTES = 65_536;

/** An object that changes, and the version of it that was read. */
export interface Head {
  bytes: Buffer;
  version: string;
}

/** Small objects of the service itself, under names of its own: no client uploads or downloads them. */
export interface NamedObjects {
  /** All who write this name write the same bytes. A crash may lose the object, or damage it: its writer can make it again. */
  put(name: string, bytes: Buffer): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  readHead(name: string): Promise<Head | undefined>;
  /**
   * Replaces the head, durably, if it is still the version that was read (undefined: if there is none). Returns false, and changes
   * nothing, if another process was faster.
   */
  replaceHead(name: string, bytes: Buffer, version: string | undefined): Promise<boolean>;
}

/** The name, if it is one that is safe as a path. */
export function safeName(name: string): string {
  if (!/^[a-z0-9]+(?:\/[a-z0-9]+)*$/.test(name)) throw new Error('not the name of an object');
  return name;
}

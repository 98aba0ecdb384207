/** Larger named objects are not read. */
export const NAMED_OBJECT_MAX_BYTES = 65_536;

/** An object that changes, with the version that was read. */
export interface Head {
  bytes: Buffer;
  version: string;
}

/** Small objects of the service itself: no client uploads or downloads them. */
export interface NamedObjects {
  /** All writers of this name write the same bytes. A crash may lose or damage the object: its writer can make it again. */
  put(name: string, bytes: Buffer): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  readHead(name: string): Promise<Head | undefined>;
  /**
   * Replaces the head, durably, if it still has this version (undefined: there is none). False: another process was faster, and nothing has changed.
   */
  replaceHead(name: string, bytes: Buffer, version: string | undefined): Promise<boolean>;
}

export function safeName(name: string): string {
  if (!/^[a-z0-9]+(?:\/[a-z0-9]+)*$/.test(name)) throw new Error('not the name of an object');
  return name;
}

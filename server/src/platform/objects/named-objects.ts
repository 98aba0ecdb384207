export const NAMED_OBJECT_MAX_BYTES = 65_536;

export interface Head {
  bytes: Buffer;
  version: string;
}

/** Small objects of the service itself: no client uploads or downloads them. */
export interface NamedObjects {
  /** All writers of a name write the same bytes. A crash may lose or damage the object: then its writer makes it again. */
  put(name: string, bytes: Buffer): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  readHead(name: string): Promise<Head | undefined>;
  /**
   * Durably replaces the head if it still has this version (undefined: there is none). Returns false, and changes nothing, if another
   * process has replaced it.
   */
  replaceHead(name: string, bytes: Buffer, version: string | undefined): Promise<boolean>;
}

export function safeName(name: string): string {
  if (!/^[a-z0-9]+(?:\/[a-z0-9]+)*$/.test(name)) throw new Error('not the name of an object');
  return name;
}

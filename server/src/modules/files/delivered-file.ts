/** A file of a message, the same for both parties. Ids are uuids. */
export interface DeliveredFile {
  id: string;
  /** The object that holds the bytes. */
  objectId: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Null until the file has been hashed. */
  sha256: Buffer | null;
}

/** A file of a message, as both parties have it. Ids are uuids. */
export interface DeliveredFile {
  id: string;
  /** Where its bytes are. */
  objectId: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Null as long as it has not been hashed. */
  sha256: Buffer | null;
}

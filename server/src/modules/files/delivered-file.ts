export interface DeliveredFile {
  id: string;
  objectId: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Null until the file has been hashed. */
  sha256: Buffer | null;
}

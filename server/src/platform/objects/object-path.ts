/** The path at which the service itself takes and serves the bytes of an object in the folder store. */
export function objectPath(id: string): string {
  return `/objects/${id}`;
}

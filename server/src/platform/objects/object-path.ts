/** Where the service itself takes and serves the bytes of an object, if it keeps them in a folder. */
export function objectPath(id: string): string {
  return `/objects/${id}`;
}

export function objectPath(id: string): string {
  return `/objects/${id}`;
}

export function SchemaPage() {
  return <p>SchemaPage</p>;
}

export function ThreadPage() {
  return <p>ThreadPage</p>;
}

export function BlocksPage() {
  return <p>BlocksPage</p>;
}

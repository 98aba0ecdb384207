export function AgentsPage() {
  return <p>AgentsPage</p>;
}

export function WebhooksPage() {
  return <p>WebhooksPage</p>;
}

export function WebhookPage() {
  return <p>WebhookPage</p>;
}

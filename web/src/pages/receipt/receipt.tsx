export function ReceiptPage() {
  return <p>ReceiptPage</p>;
}

export function DropPage() {
  return <p>DropPage</p>;
}

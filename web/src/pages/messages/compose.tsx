export function ComposePage() {
  return <p>ComposePage</p>;
}

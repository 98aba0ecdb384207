export function ClaimPage() {
  return <p>ClaimPage</p>;
}

export function DomainsPage() {
  return <p>DomainsPage</p>;
}

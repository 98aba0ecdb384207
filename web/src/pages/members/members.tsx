export function MembersPage() {
  return <p>MembersPage</p>;
}

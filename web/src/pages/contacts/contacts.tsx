export function ContactsPage() {
  return <p>ContactsPage</p>;
}

export function WelcomePage() {
  return <p>WelcomePage</p>;
}

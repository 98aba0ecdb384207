const BYTES = 18;

/** A unique random key. crypto.randomUUID exists over HTTPS only, in browsers. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

const KNOWN: Record<string, string> = {
  access_denied: 'You have not been signed in, as you or your provider said no.',
  invalid_code: 'Your provider’s answer came too late or was used before. Try again.',
  state_mismatch: 'That sign-in was begun in another browser, or too long ago. Try again.',
  state_not_found: 'That sign-in was begun in another browser, or too long ago. Try again.',
  please_restart_the_process: 'That sign-in was begun in another browser, or too long ago. Try again.',
  temporarily_unavailable: 'Your provider is away at the moment. Try again later, or use a code.',
};

/** What a provider led back with, in words. What it wrote itself is not repeated: anybody can write into a link. */
export function providerError(code: string): string {
  return KNOWN[code] ?? 'Your provider could not sign you in. Try again, or use a code.';
}

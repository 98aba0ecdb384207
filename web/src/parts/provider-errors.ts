const KNOWN: Record<string, string> = {
  access_denied: 'Sign-in was cancelled, or your provider refused it.',
  invalid_code: 'The response of your provider expired or was already used. Try again.',
  state_mismatch: 'This sign-in was started in another browser, or has expired. Try again.',
  state_not_found: 'This sign-in was started in another browser, or has expired. Try again.',
  please_restart_the_process: 'This sign-in was started in another browser, or has expired. Try again.',
  temporarily_unavailable: 'Your provider is not available. Try again later, or use a one-time code.',
};

/** Explains the error code of a redirect. The description in the redirect is not shown, because anyone can write one into a link. */
export function providerError(code: string): string {
  return KNOWN[code] ?? 'Your provider couldn’t sign you in. Try again, or use a one-time code.';
}

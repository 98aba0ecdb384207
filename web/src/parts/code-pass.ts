/**
 * The pass from a link in a mail with a code: its mailbox gets codes even when others have requested too many. The pass is in the fragment,
 * so that no log has it.
 */
export function codePass(): { pass?: string } {
  const pass = new URLSearchParams(location.hash.slice(1)).get('pass');
  return pass === null ? {} : { pass };
}

export function mailboxOfPass(): string {
  return new URLSearchParams(location.hash.slice(1)).get('email') ?? '';
}

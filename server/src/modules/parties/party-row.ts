import type { PartyView } from '../../contract/parties.ts';

/** What the table of parties has of one: exactly one of the first three. */
export interface PartyRow {
  handle: string | null;
  domain: string | null;
  email: string | null;
  display_name: string;
}

export function partyViewOf({ handle, domain, email, display_name }: PartyRow): PartyView {
  if (handle !== null) return { kind: 'handle', handle, display_name };
  return domain === null ? { kind: 'mailbox', email: email ?? '', display_name } : { kind: 'domain', domain, display_name };
}

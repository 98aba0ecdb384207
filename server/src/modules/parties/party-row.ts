import type { Business, Party, PartyView } from '../../contract/parties.ts';

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

export interface BusinessRow {
  id: string;
  handle: string;
  display_name: string;
  accepting_drops: boolean;
  minimal_receipts: boolean;
  takes_replies: boolean;
  verified_domains: string[];
  created_at: Date;
}

export function toBusiness(row: BusinessRow): Business {
  return {
    id: BigInt(row.id),
    view: { kind: 'handle', handle: row.handle, display_name: row.display_name },
    handle: row.handle,
    displayName: row.display_name,
    acceptingDrops: row.accepting_drops,
    receipts: row.minimal_receipts ? 'minimal' : 'full',
    takesReplies: row.takes_replies,
    verifiedDomains: row.verified_domains,
    createdAt: row.created_at,
  };
}

/** Whoever has no handle, known by a domain or a mailbox. */
export function toUnclaimed(row: PartyRow): Omit<Party, 'id'> {
  return { view: partyViewOf(row), takesReplies: true, verifiedDomains: [] };
}

export function toParty(row: PartyRow & BusinessRow): Party {
  return row.handle === null ? { id: BigInt(row.id), ...toUnclaimed(row) } : toBusiness(row);
}

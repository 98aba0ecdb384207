import type { Business, Party, PartyView } from '../../contract/parties.ts';
import { columns, type RowOf } from '../../platform/postgres/statement.ts';

/** Exactly one of the first three columns is not null. */
export const PARTY_ROW = columns({ handle: 'text?', domain: 'text?', email: 'text?', display_name: 'text' });

type PartyRow = RowOf<typeof PARTY_ROW>;

export function partyViewOf({ handle, domain, email, display_name }: PartyRow): PartyView {
  if (handle !== null) return { kind: 'handle', handle, display_name };
  return domain === null ? { kind: 'mailbox', email: email ?? '', display_name } : { kind: 'domain', domain, display_name };
}

export const BUSINESS_ROW = columns({
  id: 'bigint',
  handle: 'text!',
  display_name: 'text',
  accepting_drops: 'boolean',
  minimal_receipts: 'boolean',
  has_agent_card: 'boolean',
  takes_replies: 'boolean',
  verified_domains: 'text[]',
  created_at: 'timestamptz',
});

type BusinessRow = RowOf<typeof BUSINESS_ROW>;

export function toBusiness(row: BusinessRow): Business {
  return {
    id: BigInt(row.id),
    view: { kind: 'handle', handle: row.handle, display_name: row.display_name },
    handle: row.handle,
    displayName: row.display_name,
    acceptingDrops: row.accepting_drops,
    receipts: row.minimal_receipts ? 'minimal' : 'full',
    hasAgentCard: row.has_agent_card,
    takesReplies: row.takes_replies,
    verifiedDomains: row.verified_domains,
    createdAt: row.created_at,
  };
}

export function toUnclaimed(row: PartyRow): Omit<Party, 'id'> {
  return { view: partyViewOf(row), takesReplies: true, verifiedDomains: [] };
}

export function toParty(row: Omit<BusinessRow, 'handle'> & PartyRow): Party {
  const { handle } = row;
  return handle === null ? { id: BigInt(row.id), ...toUnclaimed(row) } : toBusiness({ ...row, handle });
}

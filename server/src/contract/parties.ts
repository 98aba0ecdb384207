import type { KeyScope } from './api-key.ts';
import type { Role } from './members.ts';
import type { Person } from './people.ts';

export type PartyView =
  | { kind: 'handle'; handle: string; display_name: string }
  | { kind: 'domain'; domain: string; display_name: string }
  | { kind: 'mailbox'; email: string; display_name: string };

export interface ActorView {
  kind: 'agent' | 'person' | 'mailbox';
  id: string;
  name: string;
  email: string | null;
  verified: boolean;
  provider: 'api_key' | 'email' | 'google' | 'microsoft' | 'oidc' | 'smtp';
}

/** Anything with a ledger: a business, or a domain or mailbox that has written to one without having claimed a handle. */
export interface Party {
  id: bigint;
  view: PartyView;
  /** False only for the demo inbox. */
  takesReplies: boolean;
  verifiedDomains: string[];
}

/** full: the whole envelope without `json`. minimal: only parties, time and hashes. */
export type ReceiptDetail = 'full' | 'minimal';

export interface Business extends Party {
  handle: string;
  displayName: string;
  acceptingDrops: boolean;
  receipts: ReceiptDetail;
  hasAgentCard: boolean;
  createdAt: Date;
}

export interface Agent {
  id: string;
  name: string;
  description: string | null;
  segment: string | null;
  createdAt: Date;
}

export interface Caller {
  business: Business;
  actor: ActorView;
  scope: KeyScope;
  countedAs: string;
  by: { kind: 'key'; agent: Agent; key: Key } | { kind: 'member'; person: Person; role: Role; segment: string | null; joinedAt: Date };
}

interface Key {
  id: string;
  scope: KeyScope;
  prefix: string;
  createdAt: Date;
}

export function isBusiness(party: Pick<Party, 'view'>): party is Business {
  return party.view.kind === 'handle';
}

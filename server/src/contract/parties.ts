import type { KeyScope } from './api-key.ts';
import type { Role } from './members.ts';
import type { Person } from './people.ts';

/** A party as envelopes show it. */
export type PartyView =
  | { kind: 'handle'; handle: string; display_name: string }
  | { kind: 'domain'; domain: string; display_name: string }
  | { kind: 'mailbox'; email: string; display_name: string };

/** The person or agent that sent a message, as envelopes show it. */
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
  /** Mail domains that the business has verified, in alphabetical order. */
  verifiedDomains: string[];
}

/** The whole envelope without `json`, or only parties, time and hashes. */
export type ReceiptDetail = 'full' | 'minimal';

export interface Business extends Party {
  handle: string;
  displayName: string;
  acceptingDrops: boolean;
  /** What the public receipts of the party's messages show. */
  receipts: ReceiptDetail;
  /** Whether the business publishes an agent card. */
  hasAgentCard: boolean;
  createdAt: Date;
}

export interface Agent {
  /** A uuid. */
  id: string;
  name: string;
  description: string | null;
  segment: string | null;
  createdAt: Date;
}

/** Who makes a request, and for which business. */
export interface Caller {
  business: Business;
  actor: ActorView;
  scope: KeyScope;
  /** The key or person whose requests are counted together. */
  countedAs: string;
  by: { kind: 'key'; agent: Agent; key: Key } | { kind: 'member'; person: Person; role: Role; segment: string | null; joinedAt: Date };
}

export interface Key {
  id: string;
  scope: KeyScope;
  prefix: string;
  createdAt: Date;
}

export function isBusiness(party: Pick<Party, 'view'>): party is Business {
  return party.view.kind === 'handle';
}

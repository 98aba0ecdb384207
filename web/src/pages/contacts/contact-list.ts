import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { forget, keyOf, type List, useList } from '../../api/queries.ts';
import type { Contact, Party } from '../../api/schema.ts';

/** The fields of a row. A list may have a hundred thousand rows. */
export interface Summary {
  key: string;
  party: Party;
  label: string;
  isSaved: boolean;
  isBlocked: boolean;
  canInitiate: boolean;
  lastSeenAt: string | null;
  received: number;
  sent: number;
  types: string[];
  moreTypes: number;
}

export const SHOWN = ['all', 'saved', 'archived'] as const;
export type Shown = (typeof SHOWN)[number];
export const ORDERS = ['activity', 'name', 'added'] as const;
export type Order = (typeof ORDERS)[number];
export type PartyName = { handle: string } | { domain: string } | { email: string };

const TYPES_SHOWN = 2;

export const nameOf = (party: Party): PartyName =>
  party.kind === 'handle' ? { handle: party.handle } : party.kind === 'domain' ? { domain: party.domain } : { email: party.email };

/** The handle, domain or mailbox in the path of the contact's page. */
export const addressIn = (party: Party): string =>
  party.kind === 'handle' ? party.handle : party.kind === 'domain' ? party.domain : party.email;

/** An email address has an @ inside, a domain a dot, a handle neither. */
export function partyIn(text: string): PartyName {
  const name = text.trim().replace(/^@/, '');
  if (name.includes('@')) return { email: name };
  return name.includes('.') ? { domain: name } : { handle: name };
}

function summaryOf({ party, label, saved, blocked, can_initiate, activity }: Contact): Summary {
  return {
    key: JSON.stringify(nameOf(party)),
    party,
    label,
    isSaved: saved,
    isBlocked: blocked,
    canInitiate: can_initiate,
    lastSeenAt: activity.last_seen_at,
    received: activity.messages_in,
    sent: activity.messages_out,
    types: activity.types.slice(0, TYPES_SHOWN).map((type) => type.slice(0, 24)),
    moreTypes: Math.max(0, activity.types.length - TYPES_SHOWN),
  };
}

export function useContacts(q: string, shown: Shown, sort: Order): List<Summary> {
  const query = {
    sort,
    ...(q !== '' && { q }),
    ...(shown === 'archived' && { archived: true }),
    ...(shown === 'saved' && { saved: true }),
  };
  return useList('GET /v1/contacts', { query }, { keep: summaryOf });
}

type Pages = InfiniteData<{ data: Summary[]; next_cursor: string | null }>;
const isList = (key: readonly unknown[]) => key[1] === 'GET /v1/contacts';

/** Replaces a contact in the loaded lists, which may be too long to load again. */
function updateLists(queries: QueryClient, contact: Contact): void {
  const changed = summaryOf(contact);
  queries.setQueriesData<Pages>({ predicate: ({ queryKey }) => isList(queryKey) }, (list) => {
    const change = (items: Summary[]) => items.map((item) => (item.key === changed.key ? changed : item));
    return list && { ...list, pages: list.pages.map((page) => ({ ...page, data: change(page.data) })) };
  });
}

async function reloadLists(queries: QueryClient): Promise<void> {
  const firstOf = ({ pages, pageParams }: Pages): Pages => ({ pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) });
  queries.setQueriesData<Pages>({ predicate: ({ queryKey }) => isList(queryKey) }, (list) => list && firstOf(list));
  await forget(queries, 'GET /v1/contacts', 'GET /v1/contacts/by-party');
}

export function useContactLists() {
  const queries = useQueryClient();
  return {
    update: (contact: Contact) => {
      updateLists(queries, contact);
      queries.setQueryData(keyOf('GET /v1/contacts/by-party', { query: nameOf(contact.party) }), contact);
    },
    reload: () => reloadLists(queries),
  };
}

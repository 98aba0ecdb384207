/** The states of the document that a thread is about, in the order of a purchase. */
export const DOCUMENT_STATES = [
  'requested',
  'quoted',
  'ordered',
  'changed',
  'confirmed',
  'despatched',
  'received',
  'invoiced',
  'disputed',
  'credited',
  'paid',
  'rejected',
] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** A message of the thread, as far as it changes the state. */
export interface StateEvent {
  /** The `type` of the message. */
  type: string | null;
  /** What a confirmation of an order says: accepted, changed or rejected. */
  status?: string | null | undefined;
  /** The latest acknowledgement of the message. */
  acknowledged?: 'accepted' | 'rejected' | 'processed' | null | undefined;
}

/** What a message does to the state of its thread. */
export interface Transition {
  to: DocumentState;
  /** A thread that has come this far stays there: the document is late, or about a part. */
  notFrom?: readonly DocumentState[];
}

const BILLED: readonly DocumentState[] = ['invoiced', 'disputed', 'credited', 'paid'];
const DELIVERED: readonly DocumentState[] = ['despatched', 'received', ...BILLED];
const ORDERED: readonly DocumentState[] = ['ordered', 'changed', 'confirmed', ...DELIVERED];

/** What a document does to the state. The statuses of a confirmation have a row each; other types and statuses do nothing. */
const SENT: Readonly<Record<string, Transition>> = {
  'quote.request': { to: 'requested', notFrom: ORDERED },
  quote: { to: 'quoted', notFrom: ORDERED },
  order: { to: 'ordered' },
  'order.change': { to: 'changed' },
  'order.confirmation accepted': { to: 'confirmed', notFrom: DELIVERED },
  'order.confirmation changed': { to: 'changed', notFrom: DELIVERED },
  'order.confirmation rejected': { to: 'rejected' },
  despatch: { to: 'despatched', notFrom: BILLED },
  'goods.receipt': { to: 'received', notFrom: BILLED },
  invoice: { to: 'invoiced' },
  'invoice.dispute': { to: 'disputed' },
  'credit.note': { to: 'credited' },
  remittance: { to: 'paid' },
};

/** What the acknowledgement of a document does, after the document itself. `before`: as if the document had not been sent. */
const ACKNOWLEDGED: Readonly<Record<string, Transition | 'before'>> = {
  'quote.request rejected': { to: 'rejected' },
  'quote rejected': { to: 'rejected' },
  'order accepted': { to: 'confirmed' },
  'order processed': { to: 'confirmed' },
  'order rejected': { to: 'rejected' },
  'order.change accepted': { to: 'confirmed' },
  'order.change processed': { to: 'confirmed' },
  'order.change rejected': 'before',
  'order.confirmation accepted': { to: 'confirmed', notFrom: DELIVERED },
  'order.confirmation processed': { to: 'confirmed', notFrom: DELIVERED },
  'order.confirmation rejected': { to: 'disputed', notFrom: DELIVERED },
  'despatch rejected': { to: 'disputed', notFrom: BILLED },
  'goods.receipt rejected': { to: 'disputed', notFrom: BILLED },
  'invoice rejected': { to: 'disputed' },
  'credit.note rejected': { to: 'disputed' },
  'remittance rejected': { to: 'disputed' },
};

/** What a message of this type does, before it is acknowledged. */
export function transitionOf(type: string, status: string | null | undefined): Transition | undefined {
  return rowOf(SENT, type === 'order.confirmation' ? `${type} ${status ?? ''}` : type);
}

/** Whether messages of this type change the state. */
export function changesState(type: string | null): boolean {
  return type !== null && (Object.hasOwn(SENT, type) || type === 'order.confirmation');
}

/** The state that follows from the messages of a thread, the oldest first. Null: none of them changes it. */
export function documentState(events: Iterable<StateEvent>): DocumentState | null {
  let state: DocumentState | null = null;
  for (const event of events) state = stateAfter(state, event);
  return state;
}

function stateAfter(before: DocumentState | null, { type, status, acknowledged }: StateEvent): DocumentState | null {
  if (type === null) return before;
  const sent = transitionOf(type, status);
  if (sent === undefined) return before;
  const state = follow(before, sent);
  const said = acknowledged == null || status === 'rejected' ? undefined : rowOf(ACKNOWLEDGED, `${type} ${acknowledged}`);
  if (said === undefined) return state;
  return said === 'before' ? before : follow(state, said);
}

function follow(state: DocumentState | null, { to, notFrom }: Transition): DocumentState {
  return state !== null && notFrom?.includes(state) ? state : to;
}

/** Types come from strangers, who may name one like a property of every object. */
function rowOf<Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

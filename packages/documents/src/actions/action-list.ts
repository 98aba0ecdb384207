/** Who looks at the document of a message. */
export type Reader = 'recipient' | 'sender';

export type Acknowledgement = 'accepted' | 'rejected' | 'processed';

/** What somebody can do with a document. */
export interface ActionInfo {
  /** The same for all types where it means the same. */
  id: string;
  label: string;
  /** The type of the reply. Null: nothing but the acknowledgement is sent. */
  type: string | null;
  /** What the recipient says of the message with it. Null: nothing. */
  acknowledge: Acknowledgement | null;
  needsReason: boolean;
  /** Whether the reply can be about some of the lines. */
  choosesLines: boolean;
}

type Rest = Partial<Pick<ActionInfo, 'acknowledge' | 'needsReason' | 'choosesLines'>>;

function reply(id: string, label: string, type: string, rest: Rest = {}): ActionInfo {
  return { id, label, type, acknowledge: null, needsReason: false, choosesLines: false, ...rest };
}

function say(id: string, label: string, acknowledge: Acknowledgement, needsReason = false): ActionInfo {
  return { id, label, type: null, acknowledge, needsReason, choosesLines: false };
}

const accept = say('accept', 'Accept', 'accepted');
const reject = say('reject', 'Reject', 'rejected', true);
const decline = say('decline', 'Decline', 'rejected', true);
const creates = { choosesLines: true };
const accepts: Rest = { acknowledge: 'accepted' };
const rejects: Rest = { acknowledge: 'rejected', needsReason: true };

const SUPPLY: readonly ActionInfo[] = [
  reply('create-despatch', 'Create despatch advice', 'despatch', creates),
  reply('create-invoice', 'Create invoice', 'invoice', creates),
];

const REPLIES_TO_ORDER: readonly ActionInfo[] = [
  reply('confirm', 'Confirm', 'order.confirmation', accepts),
  reply('confirm-with-changes', 'Confirm with changes', 'order.confirmation', accepts),
  reply('reject', 'Reject', 'order.confirmation', rejects),
  ...SUPPLY,
];

const changeOrder = reply('change-order', 'Change order', 'order.change');

/** The most usual one first. */
const ACTIONS: Readonly<Record<string, Partial<Record<Reader, readonly ActionInfo[]>>>> = {
  'quote.request': { recipient: [reply('quote', 'Quote', 'quote', accepts), decline] },
  quote: { recipient: [reply('order', 'Order', 'order', { ...accepts, choosesLines: true }), decline] },
  order: { recipient: REPLIES_TO_ORDER, sender: [changeOrder] },
  'order.change': { recipient: REPLIES_TO_ORDER, sender: [changeOrder] },
  'order.confirmation': { recipient: [accept, changeOrder, reject], sender: SUPPLY },
  despatch: {
    recipient: [reply('confirm-receipt', 'Confirm receipt', 'goods.receipt', { acknowledge: 'processed' }), reject],
  },
  'goods.receipt': { recipient: [accept, reject] },
  invoice: {
    recipient: [
      accept,
      // A dispute leaves the invoice open: after a credit note, the buyer can still accept it. Acknowledgements that reject are final.
      reply('dispute', 'Dispute', 'invoice.dispute', { needsReason: true, choosesLines: true }),
      reject,
      reply('create-remittance', 'Create remittance advice', 'remittance', { acknowledge: 'processed' }),
    ],
    sender: [reply('create-credit-note', 'Create credit note', 'credit.note', creates)],
  },
  'invoice.dispute': { recipient: [accept, reject] },
  'credit.note': { recipient: [accept, reject] },
  remittance: { recipient: [accept, reject] },
  statement: { recipient: [accept, reject] },
  certificate: { recipient: [accept, reject] },
};

const OF_OTHER_TYPES: readonly ActionInfo[] = [accept, reject];

/**
 * What the reader of a message can do with its document. Documents of types that the catalogue does not have can be accepted and rejected, and so can
 * documents in files, which nothing can be prefilled from. A message with neither JSON nor a type is a note, of which nothing follows.
 */
export function listActions(type: string | null, reader: Reader, hasJson: boolean): readonly ActionInfo[] {
  if (!hasJson) return type !== null && reader === 'recipient' ? OF_OTHER_TYPES : [];
  if (type !== null && Object.hasOwn(ACTIONS, type)) return ACTIONS[type]?.[reader] ?? [];
  return reader === 'recipient' ? OF_OTHER_TYPES : [];
}

/** An accepted message can still be processed or rejected. Those two are final. */
const LATER: Readonly<Record<Acknowledgement, readonly Acknowledgement[]>> = {
  accepted: ['processed', 'rejected'],
  processed: [],
  rejected: [],
};

/**
 * What to acknowledge with an action after the latest acknowledgement of the message. Null: nothing, because that was said before. Undefined: the action
 * contradicts what was said.
 */
export function acknowledgementOf({ acknowledge, type }: ActionInfo, latest: Acknowledgement | null): Acknowledgement | null | undefined {
  if (acknowledge === null || latest === null) return acknowledge;
  if (acknowledge === latest) return type === null ? undefined : null;
  // Who has processed a message has accepted it.
  if (acknowledge === 'accepted' && latest === 'processed') return type === null ? undefined : null;
  return LATER[latest].includes(acknowledge) ? acknowledge : undefined;
}

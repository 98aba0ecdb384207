export const SENDER_OF_ENTRY = `coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END)`;

/** A ledger entry's message is stored with its sender. */
export const MESSAGE_OF_ENTRY = `m.sender_id = ${SENDER_OF_ENTRY} AND m.id = e.message_id`;
export const JOIN_MESSAGE = `JOIN messages m ON ${MESSAGE_OF_ENTRY}`;

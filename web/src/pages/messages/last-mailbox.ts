/** The mailbox page that was open last, with its filters, to go back to. */
let last: { href: string; index: number } | undefined;

function indexNow(): number {
  const state: { __TSR_index?: number } | null = history.state;
  return state?.__TSR_index ?? -1;
}

export function rememberMailbox(href: string): void {
  last = { href, index: indexNow() };
}

export const lastMailbox = (): string => last?.href ?? '/inbox';

/** The message whose row gets the focus when the list is shown again. */
let row: string | undefined;

export function returnToRow(messageId: string | undefined): void {
  row = messageId;
}

export const rowToReturnTo = (): string | undefined => row;

export function takeRow(): string | undefined {
  const taken = row;
  row = undefined;
  return taken;
}

/** Whether it is the previous entry of the history, so that going back restores its scroll position. */
export const isLastMailboxBehind = (): boolean => last !== undefined && last.index === indexNow() - 1;

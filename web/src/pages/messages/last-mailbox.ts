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

/** Whether it is the previous entry of the history, so that going back restores its scroll position. */
export const isLastMailboxBehind = (): boolean => last !== undefined && last.index === indexNow() - 1;

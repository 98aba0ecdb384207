/** The list that was looked at last, so that one gets back to it as it was left. */
let last: { href: string; index: number } | undefined;

const indexNow = (): number => (history.state as { __TSR_index?: number } | null)?.__TSR_index ?? -1;

export function rememberList(href: string): void {
  last = { href, index: indexNow() };
}

export const lastList = (): string => last?.href ?? '/inbox';

/** Whether going back leads there, and so to the very place where it was scrolled to. */
export const isLastListBehind = (): boolean => last !== undefined && last.index === indexNow() - 1;

import { visibleText } from '../../../../server/src/contract/visible-text.ts';
import type { Acknowledgement } from '../../api/schema.ts';
import { type ActionInfo, acknowledgementOf, listActions } from '../../documents/actions.ts';

type Status = Acknowledgement['status'];

/** What the person has chosen for the reply. */
export interface Chosen {
  reason?: string;
  /** Places of lines. Without, it is about all. */
  lines?: readonly number[];
}

/** An action that is possible now, and what it acknowledges. */
export interface Choice {
  action: ActionInfo;
  said: Status | null;
}

const process: ActionInfo = {
  id: 'process',
  label: 'Mark as processed',
  type: null,
  acknowledge: 'processed',
  needsReason: false,
  choosesLines: false,
};

/** What was said before stands last: it is rarely said again. What takes back an acceptance stands before that. */
export function choicesOf(type: string | null, hasJson: boolean, isForUs: boolean, latest: Status | null): readonly Choice[] {
  const possible = listActions(type, isForUs ? 'recipient' : 'sender', hasJson);
  const offered = isForUs && latest === 'accepted' ? [...possible, process] : possible;
  const choices = offered.flatMap((action) => {
    const said = acknowledgementOf(action, latest);
    const rank = action.acknowledge !== null && said === null ? 2 : latest !== null && action.needsReason ? 1 : 0;
    return said === undefined ? [] : [{ action, said, rank }];
  });
  return choices.toSorted((one, other) => one.rank - other.rank);
}

/** What the recipient has rejected or processed is done with; the sender may still correct it. */
export const isOpenDocument = (isForUs: boolean, latest: Status | null): boolean =>
  !isForUs || (latest !== 'rejected' && latest !== 'processed');

/** The document of a message in words: `order`. */
export const nounOf = (type: string | null): string => visibleText(type?.replaceAll('.', ' ') ?? '') || 'message';

import type { Colleague } from '../../../api/schema.ts';
import type { Decisions } from '../../../parts/threads/thread-row.ts';
import type { ThreadFilter } from '../../../parts/threads/views.ts';

export interface Change {
  status?: 'open' | 'done';
  assignee?: Colleague | null;
  addLabels?: string[];
  removeLabels?: string[];
  unread?: boolean;
}

export function applied<Known extends Decisions>(known: Known, change: Change): Known {
  const { status = known.status, assignee = known.assignee, addLabels = [], removeLabels = [], unread } = change;
  const labels = [...new Set([...known.labels, ...addLabels])].filter((label) => !removeLabels.includes(label));
  const unread_count = unread === undefined ? known.unread_count : unread ? Math.max(1, known.unread_count) : 0;
  return { ...known, status, assignee, labels, unread_count };
}

export function inverseOf(before: Decisions, change: Change): Change {
  const added = (change.addLabels ?? []).filter((label) => !before.labels.includes(label));
  const removed = (change.removeLabels ?? []).filter((label) => before.labels.includes(label));
  return {
    ...(change.status !== undefined && { status: before.status }),
    ...(change.assignee !== undefined && { assignee: before.assignee }),
    ...(change.unread !== undefined && { unread: before.unread_count > 0 }),
    ...(added.length > 0 && { removeLabels: added }),
    ...(removed.length > 0 && { addLabels: removed }),
  };
}

/** Whether a thread stays in a list after a change, as far as the page can tell. */
export function isStillIn(filter: ThreadFilter, known: Decisions, me: string | undefined): boolean {
  const { status, assignee, label, unread } = filter;
  if (status !== undefined && known.status !== status) return false;
  if (assignee === 'none' && known.assignee !== null) return false;
  if (assignee !== undefined && assignee !== 'none' && known.assignee?.id !== (assignee === 'me' ? me : assignee)) return false;
  if (label !== undefined && !known.labels.includes(label)) return false;
  return unread === undefined || known.unread_count > 0 === unread;
}

export function bodyOf({ status, assignee, addLabels, removeLabels, unread }: Change) {
  return {
    ...(status !== undefined && { status }),
    ...(assignee !== undefined && { assignee: assignee === null ? null : assignee.id }),
    ...(addLabels !== undefined && { add_labels: addLabels }),
    ...(removeLabels !== undefined && { remove_labels: removeLabels }),
    ...(unread !== undefined && { unread }),
  };
}

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Worker } from '../../../api/schema.ts';
import { number } from '../../../ui/format.ts';
import { visible } from '../../../ui/name.tsx';
import type { Change } from './decisions.ts';
import { decisionsOf } from './thread-cache.ts';
import { useChanges } from './use-changes.ts';

/** What can be done to threads. Done and unread change to and fro. */
export type Verb = 'done' | 'assign' | 'label' | 'unread';

export interface Picking {
  verb: 'assign' | 'label';
  ids: readonly string[];
}

export interface Work {
  /** For the given thread, or for those that were selected if it is one of them. */
  act(verb: Verb, id: string): void;
  actOn(verb: Verb, ids: readonly string[]): void;
  assign(ids: readonly string[], assignee: Worker | null): void;
  relabel(ids: readonly string[], label: string, isAdded: boolean): void;
  /** What an assignee or labels are being picked for. */
  picking: Picking | undefined;
  stopPicking(): void;
}

const countOf = (ids: readonly string[], done: string): string => (ids.length === 1 ? done : `${number(ids.length)} threads: ${done}`);

/** The one way to work on threads: by mouse, key and menu. onLeft: threads that are not to be shown as open any more. */
export function useWork(selected: ReadonlySet<string>, onLeft: (ids: readonly string[], verb: 'done' | 'unread') => void): Work {
  const queries = useQueryClient();
  const change = useChanges();
  const [picking, setPicking] = useState<Picking>();
  const make = useCallback((ids: readonly string[], what: Change, done: string) => void change(ids, what, countOf(ids, done)), [change]);
  const actOn = useCallback(
    (verb: Verb, ids: readonly string[]) => {
      if (ids.length === 0) return;
      if (verb === 'assign' || verb === 'label') {
        setPicking({ verb, ids });
        return;
      }
      const known = ids.map((id) => decisionsOf(queries, id));
      if (verb === 'done') {
        const isDone = known.every((one) => one?.status === 'done');
        if (!isDone) onLeft(ids, 'done');
        make(ids, { status: isDone ? 'open' : 'done' }, isDone ? 'Open again' : 'Done');
      } else {
        const isUnread = known.some((one) => one !== undefined && one.unread_count > 0);
        if (!isUnread) onLeft(ids, 'unread');
        make(ids, { unread: !isUnread }, isUnread ? 'Marked as read' : 'Marked as unread');
      }
    },
    [queries, make, onLeft],
  );
  return useMemo(
    () => ({
      actOn,
      act: (verb, id) => actOn(verb, selected.has(id) ? [...selected] : [id]),
      assign: (ids, assignee) => make(ids, { assignee }, assignee ? `Assigned to ${visible(assignee.name)}` : 'Assigned to nobody'),
      relabel: (ids, label, isAdded) =>
        make(ids, isAdded ? { addLabels: [label] } : { removeLabels: [label] }, `Label ${visible(label)} ${isAdded ? 'added' : 'removed'}`),
      picking,
      stopPicking: () => setPicking(undefined),
    }),
    [actOn, make, selected, picking],
  );
}

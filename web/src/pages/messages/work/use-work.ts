import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Colleague } from '../../../api/schema.ts';
import { number } from '../../../ui/format.ts';
import { visible } from '../../../ui/name.tsx';
import type { Change } from './decisions.ts';
import { decisionsOf } from './thread-cache.ts';
import { useChanges } from './use-changes.ts';

export type Verb = 'done' | 'assign' | 'label' | 'unread' | 'accept';

export interface Picking {
  verb: 'assign' | 'label' | 'accept';
  ids: readonly string[];
}

export interface Work {
  /** Returns the name of the action for the present state, such as “Mark read” or “Mark unread”. */
  nameOf(verb: Verb, ids: readonly string[]): string;
  /** Applies to the thread, or to the whole selection if the thread is part of it. */
  act(verb: Verb, id: string): void;
  actOn(verb: Verb, ids: readonly string[]): void;
  assign(ids: readonly string[], assignee: Colleague | null): void;
  relabel(ids: readonly string[], label: string, isAdded: boolean): void;
  picking: Picking | undefined;
  stopPicking(): void;
}

const NAMES: Record<Verb, (state: { isDone: boolean; isUnread: boolean }) => string> = {
  done: ({ isDone }) => (isDone ? 'Open again' : 'Done'),
  assign: () => 'Assign',
  label: () => 'Label',
  accept: () => 'Accept',
  unread: ({ isUnread }) => (isUnread ? 'Mark read' : 'Mark unread'),
};

const countOf = (ids: readonly string[], done: string): string => (ids.length === 1 ? done : `${number(ids.length)} threads: ${done}`);

/** All actions on threads, by mouse, key and menu. `onLeft` gets the threads that must not stay open. */
export function useWork(selected: ReadonlySet<string>, onLeft: (ids: readonly string[], verb: 'done' | 'unread') => void): Work {
  const queries = useQueryClient();
  const change = useChanges();
  const [picking, setPicking] = useState<Picking>();
  const make = useCallback((ids: readonly string[], what: Change, done: string) => void change(ids, what, countOf(ids, done)), [change]);
  const stateOf = useCallback(
    (ids: readonly string[]) => {
      const known = ids.map((id) => decisionsOf(queries, id));
      return {
        isDone: known.every((one) => one?.status === 'done'),
        isUnread: known.some((one) => one !== undefined && one.unread_count > 0),
      };
    },
    [queries],
  );
  const actOn = useCallback(
    (verb: Verb, ids: readonly string[]) => {
      if (ids.length === 0) return;
      if (verb !== 'done' && verb !== 'unread') {
        setPicking({ verb, ids });
        return;
      }
      const { isDone, isUnread } = stateOf(ids);
      if (verb === 'done') {
        if (!isDone) onLeft(ids, 'done');
        make(ids, { status: isDone ? 'open' : 'done' }, isDone ? 'Open again' : 'Done');
      } else {
        if (!isUnread) onLeft(ids, 'unread');
        make(ids, { unread: !isUnread }, isUnread ? 'Marked as read' : 'Marked as unread');
      }
    },
    [stateOf, make, onLeft],
  );
  return useMemo(
    () => ({
      nameOf: (verb, ids) => NAMES[verb](stateOf(ids)),
      actOn,
      act: (verb, id) => actOn(verb, selected.has(id) ? [...selected] : [id]),
      assign: (ids, assignee) => make(ids, { assignee }, assignee ? `Assigned to ${visible(assignee.name)}` : 'Assigned to nobody'),
      relabel: (ids, label, isAdded) =>
        make(ids, isAdded ? { addLabels: [label] } : { removeLabels: [label] }, `Label ${visible(label)} ${isAdded ? 'added' : 'removed'}`),
      picking,
      stopPicking: () => setPicking(undefined),
    }),
    [stateOf, actOn, make, selected, picking],
  );
}

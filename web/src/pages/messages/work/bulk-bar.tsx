import { Check, FileCheck, Mail, Tag, UserRoundPlus, X } from 'lucide-react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { number } from '../../../ui/format.ts';
import type { Verb, Work } from './use-work.ts';

interface BulkBarProps {
  ids: readonly string[];
  all: readonly string[];
  work: Work;
  onSelectAll(ids: readonly string[]): void;
  isShort: boolean;
}

const ACTIONS: [Verb, typeof Check][] = [
  ['done', Check],
  ['assign', UserRoundPlus],
  ['label', Tag],
  ['unread', Mail],
  ['accept', FileCheck],
];

export function BulkBar({ ids, all, work, onSelectAll, isShort }: BulkBarProps) {
  const isAll = ids.length === all.length;
  return (
    <div role="toolbar" aria-label="Selected threads" className="flex min-h-11 items-center gap-1 border-b border-line bg-tint pr-2 pl-3">
      <input
        type="checkbox"
        aria-label="Select all loaded threads"
        checked={isAll}
        ref={(box) => {
          if (box) box.indeterminate = !isAll;
        }}
        onChange={() => onSelectAll(isAll ? [] : all)}
        className="size-4 accent-accent"
      />
      <p className="mr-2 ml-2 text-sm font-medium whitespace-nowrap">{number(ids.length)} selected</p>
      {ACTIONS.map(([verb, Icon]) =>
        isShort ? (
          <IconButton key={verb} label={work.nameOf(verb, ids)} onClick={() => work.actOn(verb, ids)}>
            <Icon className="size-4" aria-hidden />
          </IconButton>
        ) : (
          <Button key={verb} look="quiet" onClick={() => work.actOn(verb, ids)} icon={<Icon className="size-4" aria-hidden />}>
            {work.nameOf(verb, ids)}
          </Button>
        ),
      )}
      <IconButton label="Clear selection" onClick={() => onSelectAll([])} className="ml-auto">
        <X className="size-4" aria-hidden />
      </IconButton>
    </div>
  );
}

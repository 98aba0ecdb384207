import { Link } from '@tanstack/react-router';
import { BadgeX, Check, type LucideIcon, Mail, MailOpen, Paperclip, RotateCcw, Tag, UserRoundPlus } from 'lucide-react';
import { memo } from 'react';
import { newestOf, type ThreadRow } from '../../../parts/threads/thread-row.ts';
import { TypeBadge } from '../../../parts/type-badge.tsx';
import { WorkerMark } from '../../../parts/worker-mark.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { exactTime, number } from '../../../ui/format.ts';
import { Name, visible } from '../../../ui/name.tsx';
import { addressOf, Badge, isNamedByAddress } from '../../../ui/parts.tsx';
import type { Verb } from '../work/use-work.ts';
import { timeInGroup } from './day-groups.ts';

interface ThreadRowProps {
  row: ThreadRow;
  now: Date;
  /** In two or three lines: beside a thread, and on phones. */
  isCompact: boolean;
  isOpen: boolean;
  isSelected: boolean;
  isSelecting: boolean;
  /** Sent for your business by someone who is not a member. */
  isFromNonMember: boolean;
  onFocus(id: string): void;
  onSelect(id: string, isRange: boolean): void;
  onAct(verb: Verb, id: string): void;
}

/** One thread. The link covers the row; checkbox and actions lie on it. */
export const ThreadRowView = memo(function ThreadRowView(props: ThreadRowProps) {
  const { row, isCompact, isOpen, isSelected, isSelecting, onFocus, onSelect, onAct } = props;
  const isUnread = row.unread_count > 0;
  const name = visible(row.subject ?? addressOf(row.with));
  return (
    <div
      className={`group relative h-full border-b border-line ${isOpen ? 'bg-accent-tint' : isSelected ? 'bg-hover' : 'has-focus-visible:bg-tint hover:bg-tint'}`}
    >
      <Link
        to="/threads/$id"
        params={{ id: row.id }}
        hash={newestOf(row)}
        preload={false}
        data-thread={row.id}
        onFocus={() => onFocus(row.id)}
        className={`grid h-full items-center pr-4 pl-10 -outline-offset-2 ${isCompact ? 'grid-cols-[minmax(0,1fr)_auto] content-center gap-x-3 gap-y-0.5' : 'grid-cols-[13rem_minmax(0,1fr)_auto_3.5rem] gap-x-4 2xl:grid-cols-[17rem_minmax(0,1fr)_auto_3.5rem]'}`}
      >
        {isUnread ? <span className="absolute left-1.5 size-2 rounded-full bg-accent" aria-hidden /> : null}
        {isCompact ? <CompactCells {...props} isUnread={isUnread} /> : <WideCells {...props} isUnread={isUnread} />}
      </Link>
      <label
        className={`absolute top-0 left-0 grid h-full w-10 place-items-center ${isCompact ? 'max-h-12' : ''} ${isSelecting || isSelected ? '' : 'pointer-fine:opacity-0 pointer-fine:group-hover:opacity-100 pointer-fine:has-focus-visible:opacity-100'}`}
      >
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={`Select ${name}`}
          onChange={(event) => onSelect(row.id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
          className="ml-3 size-4 accent-accent"
        />
      </label>
      <HoverActions row={row} name={name} isCompact={isCompact} onAct={onAct} />
    </div>
  );
});

function HoverActions({ row, name, isCompact, onAct }: Pick<ThreadRowProps, 'row' | 'isCompact' | 'onAct'> & { name: string }) {
  const isDone = row.status === 'done';
  const isUnread = row.unread_count > 0;
  const actions: [Verb, string, LucideIcon][] = [
    ['done', isDone ? 'Open again' : 'Done', isDone ? RotateCcw : Check],
    ['assign', 'Assign', UserRoundPlus],
    ['label', 'Label', Tag],
    ['unread', isUnread ? 'Mark read' : 'Mark unread', isUnread ? MailOpen : Mail],
  ];
  return (
    <div
      className={`absolute right-2 hidden items-center rounded-lg border border-line bg-paper shadow-sm pointer-fine:group-focus-within:flex pointer-fine:group-hover:flex ${isCompact ? 'top-1.5' : 'top-1/2 -translate-y-1/2'}`}
    >
      {actions.map(([verb, label, Icon]) => (
        <IconButton key={verb} label={`${label}: ${name}`} title={label} tabIndex={-1} onClick={() => onAct(verb, row.id)}>
          <Icon className="size-4" aria-hidden />
        </IconButton>
      ))}
    </div>
  );
}

type CellsProps = ThreadRowProps & { isUnread: boolean };

function WideCells(props: CellsProps) {
  const { row, now, isUnread } = props;
  return (
    <>
      <Sender row={row} isUnread={isUnread} />
      <span className="min-w-0 truncate">
        <Subject row={row} isUnread={isUnread} /> <Name className="text-soft">{row.summary}</Name>
      </span>
      <span className="flex max-w-96 min-w-0 items-center justify-end gap-1.5 overflow-hidden">
        <Marks {...props} />
      </span>
      <RowTime row={row} now={now} isUnread={isUnread} />
    </>
  );
}

function CompactCells(props: CellsProps) {
  const { row, now, isUnread } = props;
  return (
    <>
      <Sender row={row} isUnread={isUnread} />
      <RowTime row={row} now={now} isUnread={isUnread} />
      <span className="min-w-0 truncate">
        <Subject row={row} isUnread={isUnread} />
      </span>
      <span className="flex items-center justify-end gap-1.5">
        <Flags row={row} />
      </span>
      <span className="col-span-2 flex min-w-0 items-center gap-1.5">
        <Name className="min-w-0 grow truncate text-sm text-soft">{row.summary}</Name>
        <span className="flex max-w-3/5 shrink-0 items-center gap-1.5 overflow-hidden">
          <Tags {...props} />
        </span>
      </span>
    </>
  );
}

function Sender({ row, isUnread }: { row: ThreadRow; isUnread: boolean }) {
  const { with: party } = row;
  const weight = isUnread ? 'font-semibold' : '';
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <span className="sr-only">
        {isUnread ? 'Unread, ' : ''}
        {row.sentBy ? 'to' : 'from'}{' '}
      </span>
      {isNamedByAddress(party) ? null : <Name className={`min-w-0 truncate ${weight}`}>{party.display_name}</Name>}
      <span className={`max-w-2/3 shrink-0 truncate ${isNamedByAddress(party) ? weight : 'text-sm text-soft'}`}>{addressOf(party)}</span>
      {row.messages > 1 ? (
        <span className="shrink-0 text-xs text-soft" title={`${number(row.messages)} messages`}>
          {number(row.messages)}
        </span>
      ) : null}
    </span>
  );
}

function Subject({ row, isUnread }: { row: ThreadRow; isUnread: boolean }) {
  if (row.subject !== null && row.subject.trim() !== '') return <Name className={isUnread ? 'font-semibold' : ''}>{row.subject}</Name>;
  return <span className="text-soft">No subject</span>;
}

function RowTime({ row, now, isUnread }: { row: ThreadRow; now: Date; isUnread: boolean }) {
  return (
    <time
      dateTime={row.at}
      title={exactTime(new Date(row.at))}
      className={`text-right text-sm whitespace-nowrap tabular-nums ${isUnread ? 'font-medium text-ink' : 'text-soft'}`}
    >
      {timeInGroup(row.at, now)}
    </time>
  );
}

function Marks(props: CellsProps) {
  return (
    <>
      <Flags row={props.row} />
      <Tags {...props} />
      {/* A place of its own, so that the marks of rows stand below each other. */}
      <span className="grid size-5 shrink-0 place-items-center">
        {props.row.assignee === null ? null : <WorkerMark worker={props.row.assignee} />}
      </span>
    </>
  );
}

function Flags({ row }: { row: ThreadRow }) {
  return (
    <>
      {row.hasFailed ? (
        <span className="inline-flex shrink-0 items-center gap-1 text-xs font-medium text-bad">
          <BadgeX className="size-3.5" aria-hidden />
          <span className="max-lg:sr-only">Schema failed</span>
        </span>
      ) : null}
      {row.hasFiles ? <Paperclip className="size-3.5 shrink-0 text-soft" aria-label="With files" /> : null}
    </>
  );
}

function Tags({ row, isCompact, isFromNonMember }: CellsProps) {
  return (
    <>
      {isFromNonMember ? <Badge>Sent by a non-member</Badge> : null}
      {row.labels.map((label) => (
        <span key={label} className="min-w-0 shrink truncate rounded-full border border-line px-2 text-xs text-soft">
          <Name>{label}</Name>
        </span>
      ))}
      {row.type === null ? null : <TypeBadge type={row.type} className="max-w-40 shrink-0" />}
      {isCompact && row.assignee !== null ? <WorkerMark worker={row.assignee} /> : null}
    </>
  );
}

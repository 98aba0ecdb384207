import { Link } from '@tanstack/react-router';
import { BadgeX, Check, type LucideIcon, Mail, MailOpen, Paperclip, RotateCcw, Tag, UserRoundPlus, UserRoundX } from 'lucide-react';
import { lazy, memo, Suspense } from 'react';
import { retried } from '../../../api/lazy.ts';
import { ColleagueMark } from '../../../parts/colleague-mark.tsx';
import { newestOf, type ThreadRow } from '../../../parts/threads/thread-row.ts';
import { TypeBadge } from '../../../parts/type-badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { exactTime, number } from '../../../ui/format.ts';
import { Name, visible } from '../../../ui/name.tsx';
import { addressOf, Badge, isNamedByAddress } from '../../../ui/parts.tsx';
import type { Verb } from '../work/use-work.ts';
import { timeInGroup } from './day-groups.ts';

interface ThreadRowProps {
  row: ThreadRow;
  now: Date;
  isCompact: boolean;
  isOpen: boolean;
  isSelected: boolean;
  isSelecting: boolean;
  isFromNonMember: boolean;
  onFocus(id: string): void;
  onSelect(id: string, isRange: boolean): void;
  onAct(verb: Verb, id: string): void;
}

const DocumentCells = lazy(retried(async () => ({ default: (await import('./document-cells.tsx')).DocumentCells })));

/** The last column is as wide as the actions, so that they cover only the time. */
const WIDE_COLUMNS =
  '[--last:4.5rem] grid-cols-[13rem_minmax(0,1fr)_auto_var(--last)] min-[1440px]:grid-cols-[13rem_minmax(0,1fr)_auto_25rem_8rem] min-[1800px]:grid-cols-[17rem_minmax(0,1fr)_auto_25rem_8rem] pointer-fine:group-focus-within:[--last:8rem] pointer-fine:group-hover:[--last:8rem]';

/** One thread. The link covers the row, and the checkbox and the actions lie on the link. */
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
        className={`grid h-full items-center pr-4 pl-10 -outline-offset-2 ${isCompact ? 'grid-cols-[minmax(0,1fr)_auto] content-center gap-x-3' : `gap-x-4 ${WIDE_COLUMNS}`}`}
      >
        {isUnread ? <span className="absolute left-1.5 size-2 rounded-full bg-accent" aria-hidden /> : null}
        {isCompact ? <CompactCells {...props} isUnread={isUnread} /> : <WideCells {...props} isUnread={isUnread} />}
      </Link>
      <label
        className={`absolute top-0 left-0 grid h-full w-10 place-items-center ${isSelecting || isSelected ? '' : 'pointer-fine:opacity-0 pointer-fine:group-hover:opacity-100 pointer-fine:has-focus-visible:opacity-100'}`}
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
      className={`absolute right-2 hidden items-center pointer-fine:group-focus-within:flex pointer-fine:group-hover:flex ${isCompact ? 'top-0.5 bg-inherit pl-1' : 'top-1/2 -translate-y-1/2'}`}
    >
      {actions.map(([verb, label, Icon]) => (
        <IconButton
          key={verb}
          label={`${label}: ${name}`}
          title={label}
          tabIndex={-1}
          onClick={() => onAct(verb, row.id)}
          className={isCompact ? 'size-6!' : ''}
        >
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
      <span className="hidden grid-cols-[8rem_8rem_7rem] gap-x-4 text-sm min-[1440px]:grid">
        <Suspense>{row.document && <DocumentCells document={row.document} />}</Suspense>
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
      <span className="col-span-2 flex min-w-0 items-center gap-1.5">
        <span className="min-w-0 grow truncate">
          <Subject row={row} isUnread={isUnread} /> <Name className="text-soft">{row.summary}</Name>
        </span>
        <span className="flex max-w-3/5 shrink-0 items-center gap-1.5">
          <Flags {...props} />
          <Tags {...props} />
          {row.assignee === null ? null : <ColleagueMark colleague={row.assignee} />}
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
      className={`text-right text-sm whitespace-nowrap tabular-nums pointer-fine:group-focus-within:invisible pointer-fine:group-hover:invisible ${isUnread ? 'font-medium text-ink' : 'text-soft'}`}
    >
      {timeInGroup(row.at, now)}
    </time>
  );
}

function Marks(props: CellsProps) {
  return (
    <>
      <Flags {...props} />
      <Tags {...props} />
      {/* A column of its own, so that the marks of rows are aligned. */}
      <span className="grid size-5 shrink-0 place-items-center">
        {props.row.assignee === null ? null : <ColleagueMark colleague={props.row.assignee} />}
      </span>
    </>
  );
}

function Flags({ row, isCompact, isFromNonMember }: CellsProps) {
  return (
    <>
      {row.hasFailed ? (
        <span className="inline-flex shrink-0 items-center gap-1 text-xs font-medium text-bad">
          <BadgeX className="size-3.5" aria-hidden />
          <span className={isCompact ? 'sr-only' : 'max-lg:sr-only'}>Needs correction</span>
        </span>
      ) : null}
      {isFromNonMember && isCompact ? <UserRoundX className="size-3.5 shrink-0 text-soft" aria-label="Sent by a non-member" /> : null}
      {row.hasFiles ? <Paperclip className="size-3.5 shrink-0 text-soft" aria-label="With files" /> : null}
    </>
  );
}

function Tags({ row, isCompact, isFromNonMember }: CellsProps) {
  const labels = row.labels.slice(0, isCompact ? 1 : undefined);
  const left = row.labels.slice(labels.length);
  return (
    <>
      {isFromNonMember && !isCompact ? <Badge>Sent by a non-member</Badge> : null}
      {labels.map((label) => (
        <span
          key={label}
          className={`shrink truncate rounded-full border border-line px-2 text-xs text-soft ${isCompact ? 'max-w-24 min-w-14' : 'min-w-0'}`}
        >
          <Name>{label}</Name>
        </span>
      ))}
      {left.length > 0 ? (
        <span className="shrink-0 text-xs text-soft" title={visible(left.join(', '))}>
          +{number(left.length)}
        </span>
      ) : null}
      <Suspense>{row.document?.state && <DocumentCells document={row.document} isBadge />}</Suspense>
      {/* A narrow row has room for one of the two, and the state says more. */}
      {row.type === null || (isCompact && row.document?.state) ? null : (
        <TypeBadge type={row.type} className={isCompact ? 'max-w-26 shrink-0' : 'max-w-40 shrink-0'} />
      )}
    </>
  );
}

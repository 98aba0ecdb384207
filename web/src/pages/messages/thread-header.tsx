import { ArrowLeft, Check, ChevronsUpDown, Mail, RotateCcw, Tag, UserRoundPlus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ThreadState } from '../../api/schema.ts';
import { ColleagueMark } from '../../parts/colleague-mark.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { useMailbox } from './inbox/mailbox.tsx';

interface ThreadToolbarProps {
  id: string;
  state: ThreadState;
  /** Undefined: no older messages are folded. */
  onOpenAll: (() => void) | undefined;
  children: ReactNode;
}

export function ThreadToolbar({ id, state, onOpenAll, children }: ThreadToolbarProps) {
  const { work, goBack } = useMailbox();
  const isDone = state.status === 'done';
  return (
    <div
      role="toolbar"
      aria-label="Thread"
      className="sticky top-0 z-20 -mx-4 -mt-4 mb-4 flex min-h-14 items-center gap-1 border-b border-line bg-paper px-4 py-2 max-sm:flex-wrap sm:-mx-8 sm:px-8 lg:-mt-6"
    >
      <Button look="quiet" onClick={goBack} className="-ml-2 px-2" icon={<ArrowLeft className="size-4" aria-hidden />}>
        Back
      </Button>
      {children}
      <span className="grow" />
      {onOpenAll ? (
        <IconButton label={`Expand all ${number(state.message_count)}`} onClick={onOpenAll}>
          <ChevronsUpDown className="size-4" aria-hidden />
        </IconButton>
      ) : null}
      <IconButton label="Mark unread" onClick={() => work.actOn('unread', [id])}>
        <Mail className="size-4" aria-hidden />
      </IconButton>
      <IconButton label="Label" onClick={() => work.actOn('label', [id])}>
        <Tag className="size-4" aria-hidden />
      </IconButton>
      <Button
        look="quiet"
        onClick={() => work.actOn('assign', [id])}
        className="max-w-44 px-2"
        icon={
          state.assignee ? <ColleagueMark colleague={state.assignee} isNamed={false} /> : <UserRoundPlus className="size-4" aria-hidden />
        }
      >
        {state.assignee ? (
          <>
            <span className="sr-only">Assigned to </span>
            <Name className="truncate max-sm:sr-only">{state.assignee.name}</Name>
          </>
        ) : (
          <span className="max-sm:sr-only">Assign</span>
        )}
      </Button>
      <Button
        look={isDone || state.document ? 'secondary' : 'primary'}
        onClick={() => work.actOn('done', [id])}
        icon={isDone ? <RotateCcw className="size-4" aria-hidden /> : <Check className="size-4" aria-hidden />}
      >
        {isDone ? 'Open again' : 'Done'}
      </Button>
    </div>
  );
}

export function ThreadLabels({ id, labels }: { id: string; labels: string[] }) {
  const { work } = useMailbox();
  if (labels.length === 0) return null;
  return (
    <ul aria-label="Labels" className="-mt-3 mb-5 flex flex-wrap gap-1.5">
      {labels.map((label) => (
        <li key={label} className="inline-flex h-6 items-center rounded-full border border-line pl-2.5 text-sm text-soft print:pr-2.5">
          <Name className="max-w-60 truncate">{label}</Name>
          <IconButton
            label={`Remove label ${label}`}
            onClick={() => work.relabel([id], label, false)}
            className="size-6! rounded-full! print:hidden"
          >
            <X className="size-3" aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

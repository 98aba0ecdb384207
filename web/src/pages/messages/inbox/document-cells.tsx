import type { ThreadRow } from '../../../parts/threads/thread-row.ts';
import { today } from '../../../ui/day.ts';
import { amount, utcDay, utcDayAndYear } from '../../../ui/format.ts';
import { Name } from '../../../ui/name.tsx';
import { Badge } from '../../../ui/parts.tsx';
import { STATE_NAMES, TONES } from './document-names.ts';

type Document = NonNullable<ThreadRow['document']>;

/** Nothing is left to pay. */
const SETTLED: readonly (string | null)[] = ['paid', 'credited', 'rejected'];

export function StateBadge({ state }: Pick<Document, 'state'>) {
  return state === null ? null : <Badge tone={TONES[state] ?? 'plain'}>{STATE_NAMES[state] ?? state}</Badge>;
}

/** Number, total and due date, in the columns of DocumentHeader; or the state. */
export function DocumentCells({ document, isBadge }: { document: Document; isBadge?: boolean }) {
  if (isBadge) return <StateBadge {...document} />;
  const { number, total, currency } = document;
  return (
    <>
      <span className="truncate">{number === null ? null : <Name>{number}</Name>}</span>
      <span className="truncate text-right tabular-nums">
        {total === null ? null : (
          <>
            <Name>{amount(total)}</Name> <span className="text-xs text-soft">{currency}</span>
          </>
        )}
      </span>
      <span className="truncate text-right tabular-nums">
        {document.due_date === null ? null : <DueDate {...document} due={document.due_date} />}
      </span>
    </>
  );
}

function DueDate({ state, due }: Pick<Document, 'state'> & { due: string }) {
  const now = today();
  const time = new Date(`${due}T00:00:00Z`);
  const isOverdue = due < now && !SETTLED.includes(state);
  return (
    <time dateTime={due} className={isOverdue ? 'font-medium text-bad' : ''} title={isOverdue ? 'Overdue' : undefined}>
      {isOverdue ? <span className="sr-only">Overdue since </span> : null}
      {(due.slice(0, 4) === now.slice(0, 4) ? utcDay : utcDayAndYear)(time)}
    </time>
  );
}

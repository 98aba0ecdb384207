import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX, Inbox, TimerOff } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import { useThreadChanges } from '../../api/live.ts';
import { forget, useAction, useReading } from '../../api/queries.ts';
import type { Acknowledgement } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { ACKNOWLEDGE, ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';
import type { Message } from './thread-messages.ts';

const RejectDialog = lazy(retried(async () => ({ default: (await import('./reject-dialog.tsx')).RejectDialog })));
const DocumentActions = lazy(retried(async () => ({ default: (await import('./document-actions.tsx')).DocumentActions })));
const WORDS: Record<Acknowledgement['status'], string> = { accepted: 'Accepted', rejected: 'Rejected', processed: 'Processed' };

interface AcknowledgementsProps {
  message: Message;
  /** Shortcuts and commands are about this message. */
  isCurrent: boolean;
  onReply(): void;
}

/** What the recipient said of a message, and what can be done with its document. */
export function Acknowledgements({ message, isCurrent, onReply }: AcknowledgementsProps) {
  const { id, to, type, json_sha256 } = message;
  const queries = useQueryClient();
  const { data } = useReading(ACKNOWLEDGEMENTS, { path: { id } });
  useThreadChanges(useCallback(() => void forget(queries, ACKNOWLEDGEMENTS), [queries]));
  const business = useActiveBusiness();
  const isForUs = to.party.kind === 'handle' && to.party.handle === business;
  const said = data?.data;
  const [handedOver, expired] = isForUs ? [null, null] : [data?.handed_over, data?.expired];
  // Nothing follows from a note.
  const hasDocument = isForUs ? type !== null || json_sha256 !== null : type !== null && json_sha256 !== null;
  if (!said || (said.length === 0 && !handedOver && !expired && !hasDocument)) return null;
  const latest = said.at(-1)?.status;
  return (
    <div className="flex flex-col gap-2 text-sm text-soft">
      {expired ? (
        <p className="flex items-start gap-1.5">
          <TimerOff className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
          <span>
            Nobody took it in time · <Time at={expired.at} />
          </span>
        </p>
      ) : null}
      {handedOver ? (
        <p className="flex items-start gap-1.5">
          <Inbox className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span>
            Taken by their {handedOver.way === 'webhook' ? 'webhook' : 'worker'} · <Time at={handedOver.at} />
          </span>
        </p>
      ) : null}
      {said.length > 0 ? (
        <ul aria-label="Acknowledgements" className="space-y-1">
          {said.map((one) => (
            <Said key={one.status} said={one} />
          ))}
        </ul>
      ) : null}
      {hasDocument && type !== null ? (
        <Suspense>
          <DocumentActions message={message} latest={latest ?? null} isForUs={isForUs} isCurrent={isCurrent} onReply={onReply} />
        </Suspense>
      ) : null}
      {hasDocument && type === null && (latest === undefined || latest === 'accepted') ? (
        <Choices id={id} isAccepted={latest === 'accepted'} />
      ) : null}
    </div>
  );
}

function Said({ said: { status, reason, at, actor, signing_key_id } }: { said: Acknowledgement }) {
  const Icon = status === 'rejected' ? CircleX : CircleCheck;
  return (
    <li className="flex items-start gap-1.5">
      <Icon className={`mt-0.5 size-4 shrink-0 ${status === 'rejected' ? 'text-bad' : 'text-good'}`} aria-hidden />
      <span className="min-w-0">
        <span className="text-ink">{WORDS[status]}</span> by <Name>{actor.name}</Name> · <Time at={at} />
        {signing_key_id === null ? null : ' · signed'}
        {reason === null || reason === '' ? null : (
          <bdi dir="auto" className="block break-words whitespace-pre-wrap">
            {reason}
          </bdi>
        )}
      </span>
    </li>
  );
}

/** For JSON without a type, which most pages of threads need nothing more for. */
function Choices({ id, isAccepted }: { id: string; isAccepted: boolean }) {
  const acknowledge = useAction(ACKNOWLEDGE, { changes: [ACKNOWLEDGEMENTS] });
  const [isRejecting, setRejecting] = useState(false);
  const status = isAccepted ? 'processed' : 'accepted';
  const { isBusy, error, run } = useTask();
  const tell = async () => {
    await acknowledge.mutateAsync({ path: { id }, body: { status } });
    say(WORDS[status]);
  };
  return (
    <p className="flex flex-wrap items-center gap-2 print:hidden">
      <Button isBusy={isBusy} onClick={() => run(tell)}>
        {isAccepted ? 'Mark as processed' : 'Accept'}
      </Button>
      <Button look="quiet" onClick={() => setRejecting(true)}>
        Reject
      </Button>
      {error ? <span role="alert">{error.message}</span> : null}
      {isRejecting ? (
        <Suspense>
          <RejectDialog id={id} onClose={() => setRejecting(false)} />
        </Suspense>
      ) : null}
    </p>
  );
}

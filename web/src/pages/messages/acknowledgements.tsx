import { lazy, Suspense, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import { useAction, useReading } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { ACKNOWLEDGE, ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';
import { isReceived, type Message } from './thread-messages.ts';

const AcknowledgementList = lazy(retried(async () => ({ default: (await import('./acknowledgement-list.tsx')).AcknowledgementList })));
const RejectDialog = lazy(retried(async () => ({ default: (await import('./reject-dialog.tsx')).RejectDialog })));
const DocumentActions = lazy(retried(async () => ({ default: (await import('./document-actions.tsx')).DocumentActions })));

interface AcknowledgementsProps {
  message: Message;
  onReply(): void;
}

/** What the recipient said of a message, and what can be done with its document. */
export function Acknowledgements({ message, onReply }: AcknowledgementsProps) {
  const { id, type, json_sha256 } = message;
  const { data } = useReading(ACKNOWLEDGEMENTS, { path: { id } });
  const isForUs = isReceived(message, useActiveBusiness());
  const said = data?.data;
  const [handedOver, expired] = isForUs ? [null, null] : [data?.handed_over, data?.expired];
  // Nothing follows from a note.
  const hasDocument = isForUs ? type !== null || json_sha256 !== null : type !== null && json_sha256 !== null;
  const isKnown = said?.length || handedOver || expired;
  if (!said || !(isKnown || hasDocument)) return null;
  const latest = said.at(-1)?.status ?? null;
  return (
    <div className="flex flex-col gap-2 text-sm text-soft">
      <Suspense>{isKnown ? <AcknowledgementList said={said} handedOver={handedOver} expired={expired} /> : null}</Suspense>
      {hasDocument && type !== null ? (
        <Suspense>
          <DocumentActions message={message} latest={latest} isForUs={isForUs} onReply={onReply} />
        </Suspense>
      ) : null}
      {hasDocument && type === null && (latest === null || latest === 'accepted') ? (
        <Choices id={id} isAccepted={latest === 'accepted'} />
      ) : null}
    </div>
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
    say(isAccepted ? 'Processed' : 'Accepted');
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

import { lazy, type Ref, Suspense } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import type { Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { PartyName, Time } from '../../ui/parts.tsx';

/** Loaded after the thread. */
const Composer = lazy(async () => ({ default: (await import('./composer.tsx')).Composer }));

interface ReplyProps {
  threadId: string;
  to: EnvelopeSummary;
  /** The reply is to a chosen message, not to the newest. */
  isChosen: boolean;
  onNewest(): void;
  noteRef: Ref<HTMLTextAreaElement>;
  onSent(sent: Envelope): void;
}

/** The reply form at the end of a thread. */
export function Reply({ threadId, to, isChosen, onNewest, noteRef, onSent }: ReplyProps) {
  const business = useActiveBusiness();
  const isOwn = to.from.party.kind === 'handle' && to.from.party.handle === business;
  return (
    <section aria-labelledby="reply" className="mt-8 border-t border-line pt-6">
      <div className="mb-3 flex min-h-9 flex-wrap items-center gap-x-2">
        <h2 id="reply" className="text-lg font-semibold">
          Reply
        </h2>
        <p className="text-soft">
          to <PartyName party={isOwn ? to.to.party : to.from.party} />
          {isChosen ? (
            <>
              , message of <Time at={to.received_at} />
            </>
          ) : null}
        </p>
        {isChosen ? (
          <Button look="quiet" onClick={onNewest}>
            Reply to newest instead
          </Button>
        ) : null}
      </div>
      <Suspense fallback={<div className="h-60" />}>
        <Composer place={threadId} inReplyTo={to.id} noteRef={noteRef} onSent={onSent} />
      </Suspense>
    </section>
  );
}

import { lazy, type Ref, Suspense } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import type { Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { PartyName, Time } from '../../ui/parts.tsx';

/** Loaded after the thread. */
const Composer = lazy(retried(async () => ({ default: (await import('./composer.tsx')).Composer })));

interface ReplyProps {
  threadId: string;
  to: EnvelopeSummary;
  /** The reply is to a chosen message, not to the newest. */
  isChosen: boolean;
  onNewest(): void;
  noteRef: Ref<HTMLTextAreaElement>;
  onSent(sent: Envelope): void;
}

/** The reply form, which stays at the foot of the window while the thread scrolls. */
export function Reply({ threadId, to, isChosen, onNewest, noteRef, onSent }: ReplyProps) {
  const business = useActiveBusiness();
  const isOwn = to.from.party.kind === 'handle' && to.from.party.handle === business;
  return (
    <section
      aria-labelledby="reply"
      className="sticky bottom-0 z-20 -mx-4 mt-4 bg-paper px-4 pt-2 pb-4 max-sm:pb-[max(1rem,env(safe-area-inset-bottom))] sm:-mx-2 sm:px-2"
    >
      <div className="max-h-[70dvh] overflow-y-auto rounded-xl border border-edge bg-paper px-3 pt-2 pb-2 shadow-lg focus-within:border-accent">
        <p className="mb-1 flex flex-wrap items-center gap-x-2 text-sm text-soft">
          <span className="truncate">
            <span id="reply" className="sr-only">
              Reply
            </span>
            <span aria-hidden>Reply</span> to <PartyName party={isOwn ? to.to.party : to.from.party} />
            {isChosen ? (
              <>
                , message of <Time at={to.received_at} />
              </>
            ) : null}
          </span>
          {isChosen ? (
            <button type="button" onClick={onNewest} className="rounded text-accent underline">
              Reply to newest instead
            </button>
          ) : null}
        </p>
        <Suspense fallback={<div className="h-20" />}>
          <Composer place={threadId} inReplyTo={to.id} noteRef={noteRef} onSent={onSent} />
        </Suspense>
      </div>
    </section>
  );
}

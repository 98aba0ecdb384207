import { LockKeyhole, Reply as ReplyIcon } from 'lucide-react';
import { lazy, type ReactNode, type RefObject, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import type { Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { PartyName, Time } from '../../ui/parts.tsx';
import type { Composer } from './composer.tsx';
import { keepNote, storedNote } from './draft.ts';

const loadComposer = retried(() => import('./composer.tsx'));
const CommentForm = lazy(retried(async () => ({ default: (await import('./comments/comment-form.tsx')).CommentForm })));

export type Writing = 'reply' | 'comment';

interface ReplyProps {
  threadId: string;
  to: EnvelopeSummary;
  /** The reply is to a chosen message, not to the newest. */
  isChosen: boolean;
  onNewest(): void;
  writing: Writing;
  onWriting(writing: Writing): void;
  noteRef: RefObject<HTMLTextAreaElement | null>;
  commentRef: RefObject<HTMLTextAreaElement | null>;
  onSent(sent: Envelope): void;
  onCommented(): void;
}

/** What is written to the other party, or to colleagues. It stays at the foot of the window while the thread scrolls. */
export function Reply(props: ReplyProps) {
  const { threadId, to, writing, onWriting, noteRef, commentRef, onSent, onCommented } = props;
  const isComment = writing === 'comment';
  const other = useOther(to);
  return (
    <section
      aria-label="Write"
      className="sticky bottom-0 z-20 -mx-4 mt-4 bg-paper px-4 pt-2 pb-4 max-sm:pb-[max(1rem,env(safe-area-inset-bottom))] sm:-mx-2 sm:px-2"
    >
      <div
        className={`max-h-[70dvh] rounded-xl border px-3 pt-2 pb-2 shadow-lg focus-within:border-accent ${isComment ? 'border-warn/40 bg-warn-tint' : 'overflow-y-auto border-edge bg-paper'}`}
      >
        <div className="mb-1 flex flex-wrap items-center gap-x-1 text-sm text-soft">
          <Tab isOn={!isComment} onSelect={() => onWriting('reply')} icon={<ReplyIcon className="size-4" aria-hidden />}>
            Reply
          </Tab>
          <Tab isOn={isComment} onSelect={() => onWriting('comment')} icon={<LockKeyhole className="size-4" aria-hidden />}>
            Comment
          </Tab>
          {isComment ? null : <Recipient {...props} />}
        </div>
        {/* Still mounted while a comment is written: its files may be uploading. */}
        <div hidden={isComment}>
          <ReplyForm
            threadId={threadId}
            inReplyTo={to.id}
            replyTo={other.kind === 'handle' ? other.handle : undefined}
            noteRef={noteRef}
            onSent={onSent}
          />
        </div>
        {isComment ? (
          <Suspense fallback={<div className="h-20" />}>
            <CommentForm threadId={threadId} textRef={commentRef} onAdded={onCommented} />
          </Suspense>
        ) : null}
      </div>
    </section>
  );
}

interface ReplyFormProps {
  threadId: string;
  inReplyTo: string;
  /** The handle of the recipient, if it has one. */
  replyTo: string | undefined;
  noteRef: RefObject<HTMLTextAreaElement | null>;
  onSent(sent: Envelope): void;
}

/** One line until somebody writes in it: most threads are only read. What is typed before the form is there goes into its draft. */
function ReplyForm({ threadId, inReplyTo, replyTo, noteRef, onSent }: ReplyFormProps) {
  const [Loaded, setLoaded] = useState<typeof Composer>();
  const [note, setNote] = useState(() => storedNote(threadId));
  const hadFocus = useRef(false);
  const load = useCallback(
    () =>
      void loadComposer().then(({ Composer }) => {
        hadFocus.current = document.activeElement === noteRef.current;
        setLoaded(() => Composer);
      }),
    [noteRef],
  );
  const hasDraft = note !== undefined;
  useEffect(() => {
    if (hasDraft) load();
  }, [hasDraft, load]);
  useLayoutEffect(() => {
    const field = noteRef.current;
    if (!Loaded || !hadFocus.current || !field) return;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }, [Loaded, noteRef]);
  if (Loaded) return <Loaded place={threadId} inReplyTo={inReplyTo} replyTo={replyTo} noteRef={noteRef} onSent={onSent} />;
  return (
    <textarea
      ref={noteRef}
      aria-label="Note"
      rows={1}
      placeholder="Write a reply"
      value={note ?? ''}
      onFocus={load}
      onChange={({ target }) => {
        setNote(target.value);
        keepNote(threadId, target.value);
      }}
      className="block min-h-9 w-full resize-none bg-transparent py-2 text-lg outline-none sm:text-base"
    />
  );
}

interface TabProps {
  isOn: boolean;
  onSelect(): void;
  icon: ReactNode;
  children: string;
}

function Tab({ isOn, onSelect, icon, children }: TabProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onSelect}
      className={`inline-flex h-7 items-center gap-1.5 rounded-lg px-2 font-medium ${isOn ? 'bg-hover text-ink' : 'hover:text-ink'}`}
    >
      {icon}
      {children}
    </button>
  );
}

/** The other party of the thread. */
function useOther({ from, to }: EnvelopeSummary) {
  const business = useActiveBusiness();
  const isOwn = from.party.kind === 'handle' && from.party.handle === business;
  return isOwn ? to.party : from.party;
}

function Recipient({ to, isChosen, onNewest }: ReplyProps) {
  const other = useOther(to);
  return (
    <>
      <span className="ml-1 min-w-0 truncate">
        to <PartyName party={other} />
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
    </>
  );
}

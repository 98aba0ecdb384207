import { LockKeyhole, Reply as ReplyIcon, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useEffectEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import type { Envelope, EnvelopeSummary, Party } from '../../api/schema.ts';
import { IconButton } from '../../ui/button.tsx';
import { PartyName, Time } from '../../ui/parts.tsx';
import { isHeld, takeKeys } from '../../ui/type-ahead.ts';
import type { Composer } from './composer.tsx';
import { isEmpty, useCommentDraft, useDraft } from './draft.ts';
import { otherParty } from './thread-messages.ts';
import { keysPlace, type ThreadWriting } from './use-writing.ts';

const loadComposer = retried(() => import('./composer.tsx'));
const CommentForm = lazy(retried(async () => ({ default: (await import('./comments/comment-form.tsx')).CommentForm })));

interface ReplyProps {
  threadId: string;
  to: EnvelopeSummary;
  isNewest: boolean;
  onNewest(): void;
  writing: ThreadWriting;
  onSent(sent: Envelope): void;
  onCommented(): void;
}

/** The forms for a reply and for a comment. They stay at the foot of the window while the thread scrolls. */
export function Reply({ threadId, to, isNewest, onNewest, writing, onSent, onCommented }: ReplyProps) {
  const { what, write, fold, section } = writing;
  const isComment = what === 'comment';
  const other = otherParty(to, useActiveBusiness());
  const { fields: comment } = useCommentDraft(threadId);
  return (
    <section
      ref={section}
      aria-label="Write"
      className="sticky bottom-0 z-20 -mx-4 mt-4 bg-paper px-4 pt-2 pb-4 max-sm:pb-[max(1rem,env(safe-area-inset-bottom))] sm:-mx-2 sm:px-2"
    >
      <div
        className={`max-h-[70dvh] rounded-xl border px-3 pt-2 pb-2 shadow-lg focus-within:border-accent ${isComment ? 'border-warn/40 bg-warn-tint' : 'overflow-y-auto border-edge bg-paper'}`}
      >
        <div className="mb-1 flex flex-wrap items-center gap-x-1 text-sm text-soft">
          <Tab isOn={!isComment} onSelect={() => write('reply')} icon={<ReplyIcon className="size-4" aria-hidden />}>
            Reply
          </Tab>
          <Tab isOn={isComment} onSelect={() => write('comment')} icon={<LockKeyhole className="size-4" aria-hidden />}>
            {isComment || comment.text === '' ? 'Comment' : 'Comment (draft)'}
          </Tab>
          {isComment ? null : <Recipient other={other} to={to} isNewest={isNewest} onNewest={onNewest} />}
          {what === undefined ? null : (
            <IconButton label="Close (Esc)" onClick={fold} className="-mr-1.5 ml-auto size-7!">
              <X className="size-4" aria-hidden />
            </IconButton>
          )}
        </div>
        {/* Still mounted while a comment is written, because its files may be uploading. */}
        <div hidden={isComment}>
          <ReplyForm threadId={threadId} inReplyTo={to.id} other={other} writing={writing} onSent={onSent} />
        </div>
        {isComment ? (
          <Suspense fallback={<div className="h-20" />}>
            <CommentForm threadId={threadId} writing={writing} onAdded={onCommented} />
          </Suspense>
        ) : null}
      </div>
    </section>
  );
}

interface ReplyFormProps {
  threadId: string;
  inReplyTo: string;
  other: Party;
  writing: ThreadWriting;
  onSent(sent: Envelope): void;
}

/**
 * The form is one line until somebody writes in it, because most threads are only read. Keys typed before the form is loaded go into its
 * draft.
 */
function ReplyForm({ threadId, inReplyTo, other, writing, onSent }: ReplyFormProps) {
  const { what, write, note } = writing;
  const [Loaded, setLoaded] = useState<typeof Composer>();
  const { draft, change } = useDraft(threadId);
  // The form starts over with another document, but not when a draft is sent.
  const [begun, setBegun] = useState(draft.begun);
  if (draft.begun !== '' && draft.begun !== begun) setBegun(draft.begun);
  const load = useCallback(
    () =>
      void loadComposer().then(({ Composer }) => {
        const { current: field } = note;
        const selection = field !== null && field === document.activeElement ? [field.selectionStart, field.selectionEnd] : undefined;
        // Rendered in one step with the focus, so that no key is lost in between.
        flushSync(() => setLoaded(() => Composer));
        if (selection) {
          note.current?.focus();
          note.current?.setSelectionRange(selection[0] ?? null, selection[1] ?? null);
        }
        if (field?.readOnly) note.current?.form?.requestSubmit();
      }),
    [note],
  );
  const isNeeded = what === 'reply' || !isEmpty(draft);
  useEffect(() => {
    if (isNeeded) load();
  }, [isNeeded, load]);
  const takeHeld = useEffectEvent(() => {
    const place = keysPlace('reply', threadId);
    if (what !== 'reply' || !isHeld(place)) return;
    note.current?.focus();
    change({ note: draft.note + takeKeys(place) });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: this is when keys may be held
  useEffect(() => takeHeld(), [what]);
  const onFocus = () => {
    if (what !== 'reply') write('reply');
  };
  if (Loaded)
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: unfolds the form when its one visible field gets the focus
      <div onFocus={onFocus}>
        <Loaded key={begun} place={threadId} inReplyTo={inReplyTo} replyTo={other} writing={writing} onSent={onSent} />
      </div>
    );
  return (
    <textarea
      ref={note}
      aria-label="Note"
      rows={1}
      placeholder="Write a reply"
      value={draft.note}
      onFocus={onFocus}
      onChange={({ target }) => change({ note: target.value })}
      onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
        // The text is finished, and sent as soon as the form is loaded.
        if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.readOnly = true;
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

function Recipient({ other, to, isNewest, onNewest }: Pick<ReplyProps, 'to' | 'isNewest' | 'onNewest'> & { other: Party }) {
  return (
    <>
      <span className="ml-1 min-w-0 truncate">
        to <PartyName party={other} />
        {isNewest ? null : (
          <>
            , message of <Time at={to.received_at} />
          </>
        )}
      </span>
      {isNewest ? null : (
        <button type="button" onClick={onNewest} className="rounded text-accent underline">
          Reply to newest instead
        </button>
      )}
    </>
  );
}

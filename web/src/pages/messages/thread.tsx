import { useLocation, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import type { Envelope } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { isLastMailboxBehind, lastMailbox, returnToRow } from './last-mailbox.ts';
import { MessageCard } from './message-card.tsx';
import { Reply } from './reply.tsx';
import { ThreadElsewhere } from './thread-elsewhere.tsx';
import { type Message, useThread } from './thread-messages.ts';

export function ThreadPage() {
  const { id } = useParams({ from: '/app/threads/$id' });
  const business = useActiveBusiness();
  return <Thread key={`${business} ${id}`} id={id} />;
}

function Thread({ id }: { id: string }) {
  const { messages, hidden, isComplete, error, retry, loadNew } = useThread(id);
  const linked = useLocation({ select: ({ hash }) => hash });
  const goBack = useBack(linked);
  const [replyToId, setReplyToId] = useState<string>();
  const note = useRef<HTMLTextAreaElement>(null);
  const { isOpen, toggle, openAll } = useOpenMessages(messages, linked, isComplete);
  useScrollTo(linked, messages);
  const focusReply = () => note.current?.focus();
  useShortcuts(useMemo(() => ({ u: goBack, r: () => note.current?.focus() }), [goBack]));

  if (!messages) {
    if (error?.status === 404) return <ThreadElsewhere id={id} />;
    return (
      <>
        <PageHeader title="Thread" />
        {error ? <ErrorNote error={error} onRetry={retry} /> : <Loading rows={4} label="Loading thread" />}
      </>
    );
  }
  const replyTo = messages.find(({ id }) => id === replyToId) ?? messages.at(-1);
  const closed = messages.filter(({ id }) => !isOpen(id)).length;
  return (
    <>
      <Button look="quiet" onClick={goBack} className="-ml-3.5 mb-2" icon={<ArrowLeft className="size-4" aria-hidden />}>
        Back
      </Button>
      <PageHeader
        title={titleOf(messages)}
        actions={closed > 0 ? <Button onClick={openAll}>Expand all {messages.length.toLocaleString('en')}</Button> : undefined}
      />
      {hidden > 0 ? (
        <p className="mb-4 text-soft">
          {hidden === 1 ? '1 message' : `${hidden.toLocaleString('en')} messages`} of this thread {hidden === 1 ? 'is' : 'are'} between
          other parties and not shown.
        </p>
      ) : null}
      <ol aria-label="Messages" className="flex flex-col gap-3">
        {messages.map((message) => (
          <li key={message.id} id={message.id} className="scroll-mt-6">
            <MessageCard
              message={message}
              isOpen={isOpen(message.id)}
              isLinked={message.id === linked}
              onToggle={() => toggle(message.id)}
              onReply={() => {
                setReplyToId(message.id);
                focusReply();
              }}
            />
          </li>
        ))}
      </ol>
      {isComplete ? null : error ? <ErrorNote error={error} onRetry={retry} /> : <Loading rows={1} label="Loading more" />}
      {isComplete && replyTo ? (
        <Reply
          threadId={id}
          to={replyTo}
          isChosen={replyToId !== undefined && replyTo !== messages.at(-1)}
          onNewest={() => setReplyToId(undefined)}
          noteRef={note}
          onSent={(sent: Envelope) => {
            setReplyToId(undefined);
            say('Sent');
            void loadNew().then(() => document.getElementById(sent.id)?.scrollIntoView({ block: 'nearest' }));
          }}
        />
      ) : null}
    </>
  );
}

function titleOf(messages: Message[]): string {
  const subject = messages.find(({ subject }) => subject !== null)?.subject;
  return subject?.trim() || `Thread with ${messages[0]?.from.party.display_name}`;
}

/** Goes back in the history if the list is there, so that its scroll position is kept; else opens the last list. */
function useBack(linked: string): () => void {
  const navigate = useNavigate();
  const { history } = useRouter();
  return useMemo(
    () => () => {
      returnToRow(linked);
      if (isLastMailboxBehind()) history.back();
      else void navigate({ href: lastMailbox() });
    },
    [navigate, history, linked],
  );
}

/** Shorter threads show all their messages open. */
const ALL_OPEN_MAX = 4;

/** In a long thread these are open: the newest message, the linked one, and those that arrive while the page is open. */
function useOpenMessages(messages: Message[] | undefined, linked: string, isComplete: boolean) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [folded, setFolded] = useState<ReadonlySet<string>>();
  if (messages && isComplete && folded === undefined)
    setFolded(new Set(messages.length <= ALL_OPEN_MAX ? [] : messages.slice(0, -1).map(({ id }) => id)));
  const isOpen = (id: string) => toggled.get(id) ?? (id === linked || (folded !== undefined && !folded.has(id)));
  return {
    isOpen,
    toggle: (id: string) => setToggled(new Map([...toggled, [id, !isOpen(id)]])),
    openAll: () => setToggled(new Map((messages ?? []).map(({ id }) => [id, true]))),
  };
}

/** Scrolls to the message once, as soon as it is loaded. */
function useScrollTo(id: string, messages: Message[] | undefined): void {
  const done = useRef('');
  const isLoaded = messages?.some((message) => message.id === id) ?? false;
  useEffect(() => {
    if (!isLoaded || done.current === id) return;
    done.current = id;
    // The first message is at the top anyway, with the heading above it.
    if (messages?.[0]?.id !== id) document.getElementById(id)?.scrollIntoView({ block: 'start' });
  }, [id, isLoaded, messages]);
}

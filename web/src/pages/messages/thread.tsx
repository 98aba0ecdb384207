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
import { isLastListBehind, lastList } from './last-list.ts';
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
  const goBack = useBack();
  const { messages, hidden, isWhole, error, retry, readEnd } = useThread(id);
  const marked = useLocation({ select: ({ hash }) => hash });
  const [answered, setAnswered] = useState<string>();
  const note = useRef<HTMLTextAreaElement>(null);
  const { isOpen, toggle, openAll } = useOpenMessages(messages, marked, isWhole);
  useScrollTo(marked, messages);
  const focusReply = () => note.current?.focus();
  useShortcuts(useMemo(() => ({ u: goBack, r: () => note.current?.focus() }), [goBack]));

  if (!messages) {
    if (error?.status === 404) return <ThreadElsewhere id={id} />;
    return (
      <>
        <PageHeader title="Thread" />
        {error ? <ErrorNote error={error} onRetry={retry} /> : <Loading rows={4} label="Loading the thread" />}
      </>
    );
  }
  const replyTo = messages.find(({ id }) => id === answered) ?? messages.at(-1);
  const closed = messages.filter(({ id }) => !isOpen(id)).length;
  return (
    <>
      <Button look="quiet" onClick={goBack} className="-ml-3.5 mb-2" icon={<ArrowLeft className="size-4" aria-hidden />}>
        Back
      </Button>
      <PageHeader
        title={titleOf(messages)}
        actions={closed > 0 ? <Button onClick={openAll}>Open all {messages.length}</Button> : undefined}
      />
      {hidden > 0 ? (
        <p className="mb-4 text-soft">
          {hidden === 1 ? 'One more message of this thread is' : `${hidden} more messages of this thread are`} between others, and not shown
          to you.
        </p>
      ) : null}
      <ol aria-label="Messages" className="flex flex-col gap-3">
        {messages.map((message) => (
          <li key={message.id} id={message.id} className="scroll-mt-6">
            <MessageCard
              message={message}
              isOpen={isOpen(message.id)}
              isMarked={message.id === marked}
              onToggle={() => toggle(message.id)}
              onReply={() => {
                setAnswered(message.id);
                focusReply();
              }}
            />
          </li>
        ))}
      </ol>
      {isWhole ? null : error ? <ErrorNote error={error} onRetry={retry} /> : <Loading rows={1} label="Loading more" />}
      {isWhole && replyTo ? (
        <Reply
          threadId={id}
          to={replyTo}
          isChosen={answered !== undefined && replyTo !== messages.at(-1)}
          onNewest={() => setAnswered(undefined)}
          noteRef={note}
          onSent={(sent: Envelope) => {
            setAnswered(undefined);
            say('Sent');
            void readEnd().then(() => document.getElementById(sent.id)?.scrollIntoView({ block: 'nearest' }));
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

/** Back to the list as it was left, or to the one that was looked at last. */
function useBack(): () => void {
  const navigate = useNavigate();
  const { history } = useRouter();
  return useMemo(
    () => () => {
      if (isLastListBehind()) history.back();
      else void navigate({ href: lastList() });
    },
    [navigate, history],
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

/** Once, as soon as it is there. */
function useScrollTo(id: string, messages: Message[] | undefined): void {
  const done = useRef('');
  const isThere = messages?.some((message) => message.id === id) ?? false;
  useEffect(() => {
    if (!isThere || done.current === id) return;
    done.current = id;
    // The first one stands at the top anyway, with the heading above it.
    if (messages?.[0]?.id !== id) document.getElementById(id)?.scrollIntoView({ block: 'start' });
  }, [id, isThere, messages]);
}

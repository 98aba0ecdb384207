import { useLocation, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { ArrowLeft, ChevronsUpDown } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader, PartyName } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { isLastMailboxBehind, lastMailbox, returnToRow } from './last-mailbox.ts';
import { Reply } from './reply.tsx';
import { ThreadElsewhere } from './thread-elsewhere.tsx';
import { ThreadList } from './thread-list.tsx';
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
  const subject = messages.find(({ subject }) => subject !== null && subject.trim() !== '')?.subject ?? undefined;
  const isFolded = messages.some(({ id }) => !isOpen(id));
  return (
    <>
      <Button look="quiet" onClick={goBack} className="-ml-3.5 mb-1" icon={<ArrowLeft className="size-4" aria-hidden />}>
        Back
      </Button>
      <PageHeader
        title={subject?.trim() ?? `Thread with ${messages[0]?.from.party.display_name}`}
        actions={
          isFolded ? (
            <Button onClick={openAll} icon={<ChevronsUpDown className="size-4" aria-hidden />}>
              Expand all {messages.length.toLocaleString('en')}
            </Button>
          ) : undefined
        }
      >
        <Parties messages={messages} hidden={hidden} />
      </PageHeader>
      <ThreadList
        messages={messages}
        subject={subject}
        linked={linked}
        isOpen={isOpen}
        onToggle={toggle}
        onReply={(messageId) => {
          setReplyToId(messageId);
          note.current?.focus();
        }}
      />
      {isComplete ? null : error ? <ErrorNote error={error} onRetry={retry} /> : <Loading rows={1} label="Loading more" />}
      {isComplete && replyTo ? (
        <Reply
          threadId={id}
          to={replyTo}
          isChosen={replyToId !== undefined && replyTo !== messages.at(-1)}
          onNewest={() => setReplyToId(undefined)}
          noteRef={note}
          onSent={() => {
            setReplyToId(undefined);
            say('Sent');
            void loadNew().then(() => requestAnimationFrame(() => scrollTo({ top: document.documentElement.scrollHeight })));
          }}
        />
      ) : null}
    </>
  );
}

/** Who writes to whom, and how much of the thread is seen. */
function Parties({ messages, hidden }: { messages: Message[]; hidden: number }) {
  const business = useActiveBusiness();
  const [first] = messages;
  if (!first) return null;
  const isOurs = first.from.party.kind === 'handle' && first.from.party.handle === business;
  const count = (number: number) => `${number.toLocaleString('en')} ${number === 1 ? 'message' : 'messages'}`;
  return (
    <>
      {isOurs ? 'To' : 'From'} <PartyName party={isOurs ? first.to.party : first.from.party} /> · {count(messages.length)}
      {hidden > 0 ? `, and ${count(hidden)} between other parties, not shown` : ''}
    </>
  );
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
  const isOpen = useCallback(
    (id: string) => toggled.get(id) ?? (id === linked || (folded !== undefined && !folded.has(id))),
    [toggled, folded, linked],
  );
  return {
    isOpen,
    toggle: (id: string) => setToggled((known) => new Map([...known, [id, !isOpen(id)]])),
    openAll: () => setToggled(new Map((messages ?? []).map(({ id }) => [id, true]))),
  };
}

import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import { useThreadChanges } from '../../api/live.ts';
import { forget } from '../../api/queries.ts';
import type { ThreadState } from '../../api/schema.ts';
import { UNFOLDED_MAX } from '../../parts/threads/thread-row.ts';
import { useCommands } from '../../ui/commands.ts';
import { count } from '../../ui/format.ts';
import { PageHeader, PartyName } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';
import { useComments } from './comments/use-comments.ts';
import { useDraft } from './draft.ts';
import { useMailbox } from './inbox/mailbox.tsx';
import { Reply } from './reply.tsx';
import { ThreadLabels, ThreadToolbar } from './thread-header.tsx';
import { ThreadList } from './thread-list.tsx';
import { type Message, otherParty, useThread } from './thread-messages.ts';
import { useThreadWriting } from './use-writing.ts';
import { useMarkRead } from './work/use-mark-read.ts';

const ThreadActions = lazy(retried(async () => ({ default: (await import('./thread-actions.tsx')).ThreadActions })));
const PrintThread = lazy(retried(async () => ({ default: (await import('./print-thread.tsx')).PrintThread })));
const StateBadge = lazy(retried(async () => ({ default: (await import('./inbox/document-cells.tsx')).StateBadge })));
const ThreadElsewhere = lazy(retried(async () => ({ default: (await import('./thread-elsewhere.tsx')).ThreadElsewhere })));

export function ThreadPage() {
  const { id } = useParams({ from: '/app/mailbox/threads/$id' });
  const business = useActiveBusiness();
  return <Thread key={`${business} ${id}`} id={id} />;
}

function Thread({ id }: { id: string }) {
  const { messages, state, hidden, isComplete, error, retry, loadNew } = useThread(id);
  const linked = useLocation({ select: ({ hash }) => hash });
  const { goBack } = useMailbox();
  const [replyToId, setReplyToId] = useState<string>();
  const writing = useThreadWriting(id);
  const { write } = writing;
  const { draft } = useDraft(id);
  const comments = useComments(id);
  const { isOpen, toggle, openAll, wasComplete } = useOpenMessages(messages, linked, isComplete);
  const { isPrinting, print, stopPrinting } = usePrint();
  useShortcuts(useMemo(() => ({ u: goBack, r: () => write('reply'), m: () => write('comment') }), [goBack, write]));

  useCommands(
    useMemo(
      () => [
        { name: 'Reply', keys: 'r', run: () => write('reply') },
        { name: 'Comment', keys: 'm', run: () => write('comment') },
        { name: 'Print thread', keys: 'Ctrl P', run: print },
      ],
      [write, print],
    ),
  );
  useMarkRead(id, state?.unread_count ?? 0);
  const queries = useQueryClient();
  useThreadChanges(useCallback(() => void forget(queries, ACKNOWLEDGEMENTS), [queries]));

  if (!messages || !state) {
    if (error?.status === 404)
      return (
        <Suspense fallback={<Loading />}>
          <ThreadElsewhere id={id} />
        </Suspense>
      );
    return (
      <>
        <PageHeader title="Thread" />
        {error ? <ErrorNote error={error} onRetry={retry} /> : <Loading rows={4} label="Loading thread" />}
      </>
    );
  }
  const newest = messages.at(-1);
  const replyTo = messages.find(({ id }) => id === replyToId) ?? messages.find(({ id }) => draft.begun.startsWith(`${id} `)) ?? newest;
  const replyToMessage = (messageId: string | undefined) => {
    setReplyToId(messageId);
    write('reply');
  };
  const subject = messages.find(({ subject }) => subject !== null && subject.trim() !== '')?.subject ?? undefined;
  const isFolded = messages.some(({ id }) => !isOpen(id));
  const title = subject?.trim() ?? `Thread with ${messages[0]?.from.party.display_name}`;
  const list = { messages, comments, subject, onToggle: toggle, onReply: replyToMessage };
  const parties = <Parties messages={messages} hidden={hidden} />;
  return (
    <>
      <ThreadToolbar id={id} state={state} onOpenAll={isFolded ? openAll : undefined}>
        <Suspense>{hasActions(messages, state) ? <ThreadActions messages={messages} onReply={replyToMessage} /> : null}</Suspense>
      </ThreadToolbar>
      <PageHeader title={title}>
        {parties} <Suspense>{state.document?.state && <StateBadge {...state.document} />}</Suspense>
      </PageHeader>
      <ThreadLabels id={id} labels={state.labels} />
      <ThreadList {...list} isOpen={isOpen} linked={linked} />
      {isComplete ? null : error ? <ErrorNote error={error} onRetry={retry} /> : <Loading rows={1} label="Loading more" />}
      {wasComplete && replyTo ? (
        <Reply
          threadId={id}
          to={replyTo}
          isNewest={replyTo === newest}
          onNewest={() => replyToMessage(newest?.id)}
          writing={writing}
          onCommented={toEnd}
          onSent={() => {
            setReplyToId(undefined);
            say('Sent');
            // Another thread may be open by now, which must not scroll.
            void loadNew().then(() => writing.section.current && toEnd());
          }}
        />
      ) : null}
      {isPrinting ? (
        <Suspense>
          <PrintThread
            {...{ title, parties, messages, isComplete }}
            list={(isOpen) => <ThreadList {...list} isOpen={isOpen} linked="" isPrinted />}
            onDone={stopPrinting}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** Nothing is left to do with what was rejected. JSON without a type has its buttons below it. */
const hasActions = (messages: Message[], { document }: ThreadState): boolean =>
  document?.state !== 'rejected' && messages.some(({ type }) => type !== null);

/** Ctrl P prints the whole thread: the browser alone would print what is unfolded. */
function usePrint() {
  const [isPrinting, setPrinting] = useState(false);
  const print = useCallback(() => setPrinting(true), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      print();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [print]);
  return { isPrinting, print, stopPrinting: () => setPrinting(false) };
}

const toEnd = (): void => void requestAnimationFrame(() => scrollTo({ top: document.documentElement.scrollHeight }));

function Parties({ messages, hidden }: { messages: Message[]; hidden: number }) {
  const business = useActiveBusiness();
  const [first] = messages;
  if (!first) return null;
  const other = otherParty(first, business);
  return (
    <>
      {other === first.to.party ? 'To' : 'From'} <PartyName party={other} /> · {count(messages.length, 'message')}
      {hidden > 0 ? `, and ${count(hidden, 'message')} between other parties, not shown` : ''}
    </>
  );
}

/** In a long thread these are open: the newest message, the linked one, and those that arrive while the page is open. */
function useOpenMessages(messages: Message[] | undefined, linked: string, isComplete: boolean) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [folded, setFolded] = useState<ReadonlySet<string>>();
  if (messages && isComplete && folded === undefined)
    setFolded(new Set(messages.length <= UNFOLDED_MAX ? [] : messages.slice(0, -1).map(({ id }) => id)));
  const isOpen = useCallback(
    (id: string) => toggled.get(id) ?? (id === linked || (folded !== undefined && !folded.has(id))),
    [toggled, folded, linked],
  );
  return {
    isOpen,
    /** More messages may be loading again, but a form in use must stay. */
    wasComplete: folded !== undefined,
    toggle: (id: string) => setToggled((known) => new Map([...known, [id, !isOpen(id)]])),
    openAll: () => setToggled(new Map((messages ?? []).map(({ id }) => [id, true]))),
  };
}

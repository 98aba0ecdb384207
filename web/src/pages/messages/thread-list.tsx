import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { retried } from '../../api/lazy.ts';
import type { Comment } from '../../api/schema.ts';
import { useIsPrinting } from '../../ui/printing.ts';
import { MessageCard } from './message-card.tsx';
import { senderNews } from './sender-news.ts';
import type { Message } from './thread-messages.ts';

const CommentCard = lazy(retried(async () => ({ default: (await import('./comments/comment-card.tsx')).CommentCard })));

interface ThreadListProps {
  messages: Message[];
  comments: Comment[];
  subject: string | undefined;
  linked: string;
  isOpen(id: string): boolean;
  onToggle(id: string): void;
  onReply(id: string): void;
  /** It is drawn beside the page, for paper. */
  isPrinted?: boolean;
}

const FOLDED_PX = 50;
const OPEN_PX = 260;
const GAP_PX = 8;
const OVERSCAN = 6;

const COMMENT_PX = 84;

type Entry = Message | Comment;

/** Inserts comments by time between the messages, which keep their order. */
function inOrder(messages: Message[], comments: Comment[]): Entry[] {
  const entries: Entry[] = [];
  let next = 0;
  for (const message of messages) {
    for (; next < comments.length; next++) {
      const comment = comments[next];
      if (comment === undefined || comment.created_at >= message.received_at) break;
      entries.push(comment);
    }
    entries.push(message);
  }
  return [...entries, ...comments.slice(next)];
}

function estimateOf(entry: Entry | undefined, isOpen: (id: string) => boolean): number {
  if (entry !== undefined && 'text' in entry) return COMMENT_PX;
  return isOpen(entry?.id ?? '') ? OPEN_PX : FOLDED_PX;
}

/** The messages and comments of a thread. Only those near the window are rendered: a thread may have thousands. */
export function ThreadList({ messages, comments, subject, linked, isOpen, onToggle, onReply, isPrinted = false }: ThreadListProps) {
  const [place, setPlace] = useState<HTMLOListElement | null>(null);
  const news = useMemo(() => senderNews(messages), [messages]);
  const entries = useMemo(() => inOrder(messages, comments), [messages, comments]);
  const virtual = useWindowVirtualizer({
    count: entries.length,
    estimateSize: (index) => estimateOf(entries[index], isOpen),
    getItemKey: (index) => entries[index]?.id ?? index,
    scrollMargin: place?.offsetTop ?? 0,
    scrollPaddingStart: 24,
    gap: GAP_PX,
    overscan: OVERSCAN,
  });
  // Scrolls to the linked message once, as soon as it is loaded. The first message is at the top anyway, with the heading above it.
  const linkedAt = entries.findIndex(({ id }) => id === linked);
  const shown = useRef('');
  const showLinked = useEffectEvent(() => {
    if (place === null || linkedAt < 0 || shown.current === linked) return;
    shown.current = linked;
    if (linkedAt > 0) virtual.scrollToIndex(linkedAt, { align: 'start' });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are when to look
  useEffect(() => showLinked(), [linkedAt, linked, place]);
  const isPrinting = useIsPrinting() || isPrinted;
  const drawn = isPrinting ? entries.map(({ id }, index) => ({ index, key: id, start: 0 })) : virtual.getVirtualItems();
  return (
    <ol
      ref={setPlace}
      aria-label="Messages"
      className={isPrinting ? 'space-y-2' : 'relative'}
      style={isPrinting ? undefined : { height: virtual.getTotalSize() }}
    >
      {drawn.map(({ index, key, start }) => {
        const entry = entries[index];
        if (!entry) return null;
        return (
          <li
            key={key}
            id={isPrinted ? undefined : entry.id}
            ref={isPrinting ? undefined : virtual.measureElement}
            data-index={index}
            aria-setsize={entries.length}
            aria-posinset={index + 1}
            // An open menu must be above the next messages and the reply form.
            className={isPrinting ? '' : 'absolute inset-x-0 top-0 has-[[role=menu]]:z-30'}
            style={isPrinting ? undefined : { transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
          >
            {'text' in entry ? (
              <Suspense fallback={<div className="h-20" />}>
                <CommentCard comment={entry} isLinked={entry.id === linked} />
              </Suspense>
            ) : (
              <MessageCard
                message={entry}
                threadSubject={subject}
                news={news.get(entry.id)}
                isOpen={isOpen(entry.id)}
                isLinked={entry.id === linked}
                onToggle={() => onToggle(entry.id)}
                onReply={() => onReply(entry.id)}
              />
            )}
          </li>
        );
      })}
    </ol>
  );
}

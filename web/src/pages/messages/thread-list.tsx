import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { MessageCard } from './message-card.tsx';
import type { Message } from './thread-messages.ts';

interface ThreadListProps {
  messages: Message[];
  /** The subject above the list, which messages need not repeat. */
  subject: string | undefined;
  /** The message that the address of the page links to. */
  linked: string;
  isOpen(id: string): boolean;
  onToggle(id: string): void;
  onReply(id: string): void;
}

const FOLDED_PX = 50;
const OPEN_PX = 260;
const GAP_PX = 8;
const OVERSCAN = 6;

/** The messages of a thread. Only those near the window are drawn: a thread may have thousands. */
export function ThreadList({ messages, subject, linked, isOpen, onToggle, onReply }: ThreadListProps) {
  const [place, setPlace] = useState<HTMLOListElement | null>(null);
  const virtual = useWindowVirtualizer({
    count: messages.length,
    estimateSize: (index) => (isOpen(messages[index]?.id ?? '') ? OPEN_PX : FOLDED_PX),
    getItemKey: (index) => messages[index]?.id ?? index,
    scrollMargin: place?.offsetTop ?? 0,
    scrollPaddingStart: 24,
    gap: GAP_PX,
    overscan: OVERSCAN,
  });
  // To the linked message once, as soon as it is loaded. The first one is at the top anyway, with the heading above it.
  const linkedAt = messages.findIndex(({ id }) => id === linked);
  const shown = useRef('');
  const showLinked = useEffectEvent(() => {
    if (place === null || linkedAt < 0 || shown.current === linked) return;
    shown.current = linked;
    if (linkedAt > 0) virtual.scrollToIndex(linkedAt, { align: 'start' });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are when to look
  useEffect(() => showLinked(), [linkedAt, linked, place]);
  return (
    <ol ref={setPlace} aria-label="Messages" className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const message = messages[index];
        if (!message) return null;
        return (
          <li
            key={key}
            id={message.id}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={messages.length}
            aria-posinset={index + 1}
            // An open menu is above the messages that follow, and the reply form.
            className="absolute inset-x-0 top-0 has-[[role=menu]]:z-30"
            style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
          >
            <MessageCard
              message={message}
              threadSubject={subject}
              isOpen={isOpen(message.id)}
              isLinked={message.id === linked}
              onToggle={() => onToggle(message.id)}
              onReply={() => onReply(message.id)}
            />
          </li>
        );
      })}
    </ol>
  );
}

import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp, Inbox as InboxIcon, Send } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import type { List } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Copyable, PageHeader } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, isFiltered } from './filters.ts';
import { rememberList } from './last-list.ts';
import { type Mailbox, type Summary, useMessages } from './message-list.ts';
import { MessageRow } from './message-row.tsx';

export function InboxPage() {
  return <MailboxPage mailbox="inbox" filters={useSearch({ from: '/app/inbox' })} />;
}

export function OutboxPage() {
  return <MailboxPage mailbox="outbox" filters={useSearch({ from: '/app/outbox' })} />;
}

function MailboxPage({ mailbox, filters }: { mailbox: Mailbox; filters: Filters }) {
  const list = useMessages(mailbox, filters);
  const href = useLocation({ select: ({ href }) => href });
  useEffect(() => {
    // By the time this page goes away, the address is already that of the next one.
    if (href.startsWith(`/${mailbox}`)) rememberList(href);
  }, [href, mailbox]);
  return (
    <>
      <PageHeader title={mailbox === 'inbox' ? 'Inbox' : 'Outbox'} />
      <FilterBar mailbox={mailbox} filters={filters} />
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={8} label="Loading messages" />
      ) : list.items.length === 0 ? (
        <NoMessages mailbox={mailbox} isFiltered={isFiltered(filters)} />
      ) : (
        <Messages mailbox={mailbox} list={list} />
      )}
    </>
  );
}

function NoMessages({ mailbox, isFiltered }: { mailbox: Mailbox; isFiltered: boolean }) {
  const handle = useActiveBusiness() ?? '';
  if (isFiltered)
    return (
      <Empty title="No message fits">
        <ButtonLink to={mailbox === 'inbox' ? '/inbox' : '/outbox'} search={{}} className="mt-3">
          Show all
        </ButtonLink>
      </Empty>
    );
  if (mailbox === 'outbox')
    return (
      <Empty icon={<Send className="size-6" aria-hidden />} title="Nothing sent yet">
        <ButtonLink to="/compose" look="primary" className="mt-3">
          Write a message
        </ButtonLink>
      </Empty>
    );
  return (
    <Empty icon={<InboxIcon className="size-6" aria-hidden />} title="Nothing has come yet">
      <p className="mb-4">Other businesses reach you by your handle. People without one write to you here:</p>
      <Copyable text={`${location.origin}/@${handle}`} label="address" />
      <ButtonLink to="/welcome" className="mt-4">
        First steps
      </ButtonLink>
    </Empty>
  );
}

/** Rows have one height, by the width of the page, so that where they stand is known before they are drawn. */
const WIDE = '(min-width: 48rem)';
const WIDE_ROW_PX = 48;
const NARROW_ROW_PX = 76;

function useRowHeight(): number {
  const media = useMemo(() => matchMedia(WIDE), []);
  const [isWide, setWide] = useState(media.matches);
  useEffect(() => {
    const onChange = () => setWide(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, [media]);
  return isWide ? WIDE_ROW_PX : NARROW_ROW_PX;
}

/** Further down than this, somebody is reading, and nothing is put above. */
const AT_TOP_PX = 40;

/** The messages without those that have come since somebody scrolled down, and how many these are. */
function useHeld(items: Summary[]): { shown: Summary[]; held: number; release(): void } {
  const [top, setTop] = useState(items[0]?.id);
  const newest = items[0]?.id;
  useEffect(() => {
    const onScroll = () => {
      if (scrollY < AT_TOP_PX) setTop(newest);
    };
    onScroll();
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, [newest]);
  // All of them when the one that was on top is gone, as after a list has been read anew.
  const held = Math.max(
    0,
    items.findIndex(({ id }) => id === top),
  );
  const shown = useMemo(() => (held === 0 ? items : items.slice(held)), [items, held]);
  return {
    shown,
    held,
    release: () => {
      setTop(newest);
      scrollTo({ top: 0 });
    },
  };
}

function Messages({ mailbox, list: { items: all, hasMore, more } }: { mailbox: Mailbox; list: List<Summary> }) {
  const { shown: items, held, release } = useHeld(all);
  const place = useRef<HTMLUListElement>(null);
  const navigate = useNavigate();
  const [selected, setSelected] = useState<string>();
  const height = useRowHeight();
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: place.current?.offsetTop ?? 0,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured anew when their height changes
  useEffect(() => virtual.measure(), [height]);
  const rows = virtual.getVirtualItems();
  const lastShown = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= items.length - 40) more();
  }, [hasMore, lastShown, items.length, more]);

  useShortcuts(
    useMemo(() => {
      const move = (by: number) => {
        const at = items.findIndex(({ id }) => id === selected);
        const next = Math.min(items.length - 1, Math.max(0, at + by));
        setSelected(items[next]?.id);
        virtual.scrollToIndex(next);
        requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-message="${items[next]?.id}"]`)?.focus());
      };
      return {
        j: () => move(1),
        k: () => move(-1),
        Enter: () => {
          const message = items.find(({ id }) => id === selected);
          if (message) void navigate({ to: '/threads/$id', params: { id: message.threadId }, hash: message.id });
        },
      };
    }, [items, selected, navigate, virtual]),
  );

  return (
    <>
      <div role="status" className="pointer-events-none sticky top-4 z-10 flex h-0 justify-center">
        {held > 0 ? (
          <Button
            onClick={release}
            className="pointer-events-auto rounded-full shadow-lg"
            icon={<ArrowUp className="size-4" aria-hidden />}
          >
            {held} new
          </Button>
        ) : null}
      </div>
      <ul ref={place} aria-label="Messages" className="relative" style={{ height: virtual.getTotalSize() }}>
        {rows.map(({ index, start, key }) => {
          const message = items[index];
          if (!message) return null;
          return (
            <li
              key={key}
              aria-setsize={hasMore ? -1 : items.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ height, transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <MessageRow message={message} mailbox={mailbox} onFocus={() => setSelected(message.id)} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

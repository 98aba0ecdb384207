import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowUp, Inbox as InboxIcon, Send } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import type { List } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useLongList } from '../../ui/long-list.ts';
import { Copyable, PageHeader } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, isFiltered } from './filters.ts';
import { rememberMailbox, rowToReturnTo, takeRow } from './last-mailbox.ts';
import { type Mailbox, type Summary, useMessages } from './message-list.ts';
import { MessageRow } from './message-row.tsx';
import { useNonMembers } from './non-members.ts';

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
    // When the page unmounts, the address is already that of the next page.
    if (href.startsWith(`/${mailbox}`)) rememberMailbox(href);
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
      <Empty title="No results">
        <ButtonLink to={mailbox === 'inbox' ? '/inbox' : '/outbox'} search={{}} className="mt-3">
          Clear filters
        </ButtonLink>
      </Empty>
    );
  if (mailbox === 'outbox')
    return (
      <Empty icon={<Send className="size-6" aria-hidden />} title="No messages sent yet">
        <ButtonLink to="/compose" look="primary" className="mt-3">
          New message
        </ButtonLink>
      </Empty>
    );
  return (
    <Empty icon={<InboxIcon className="size-6" aria-hidden />} title="No messages yet">
      <p className="mb-4">Other businesses write to your handle. People without a handle can use this page:</p>
      <Copyable text={`${location.origin}/@${handle}`} label="page address" />
      <ButtonLink to="/welcome" className="mt-4">
        First steps
      </ButtonLink>
    </Empty>
  );
}

const ROW_DRAWN_MS = 100;
const ROW_PX = { wide: 48, narrow: 76 };
/** Scrolled further than this, new messages are held back so that the list does not move. */
const AT_TOP_PX = 40;

/** Holds back the messages that arrived since the list was scrolled. */
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
  // Nothing is held back when the top message is gone, as after a reload.
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
  const isNonMember = useNonMembers();
  const navigate = useNavigate();
  const [selected, setSelected] = useState(rowToReturnTo);
  const { list, rows, scrollTo } = useLongList({ items, hasMore, more }, ({ id }) => id, ROW_PX);

  const focusRow = useEffectEvent((id: string) => {
    const at = items.findIndex((item) => item.id === id);
    if (at < 0) return;
    scrollTo(at, { align: 'auto' });
    // The row is drawn after the list has scrolled.
    setTimeout(() => document.querySelector<HTMLElement>(`[data-message="${id}"]`)?.focus({ preventScroll: true }), ROW_DRAWN_MS);
  });
  useEffect(() => {
    const id = takeRow();
    if (id !== undefined) focusRow(id);
  }, []);

  useShortcuts(
    useMemo(() => {
      const move = (by: number) => {
        const at = items.findIndex(({ id }) => id === selected);
        const next = Math.min(items.length - 1, Math.max(0, at + by));
        setSelected(items[next]?.id);
        scrollTo(next);
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
    }, [items, selected, navigate, scrollTo]),
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
            {held.toLocaleString('en')} new
          </Button>
        ) : null}
      </div>
      <ul {...list} aria-label="Messages" className="relative">
        {rows.map(({ item: message, key, row }) => (
          <li key={key} {...row} className="absolute inset-x-0 top-0">
            <MessageRow
              message={message}
              mailbox={mailbox}
              isFromNonMember={mailbox === 'outbox' && isNonMember(message.actor)}
              onFocus={() => setSelected(message.id)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

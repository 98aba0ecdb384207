import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bell } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { isDesktopOn } from '../api/desktop.ts';
import { retried } from '../api/lazy.ts';
import { forget, useReading } from '../api/queries.ts';
import type { Notification } from '../api/schema.ts';
import { number } from '../ui/format.ts';

const Panel = lazy(retried(async () => ({ default: (await import('./notification-panel.tsx')).NotificationPanel })));
const Desktop = lazy(retried(async () => ({ default: (await import('./desktop-notifications.ts')).DesktopNotifications })));

const COUNTED_MAX = 20;

export function Notifications() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isDesktop, setDesktop] = useState(isDesktopOn);
  const [openedAt] = useState(() => new Date().toISOString());
  const root = useRef<HTMLDivElement>(null);
  const { data: unread } = useReading('GET /v1/notifications', { query: { unread: true, limit: COUNTED_MAX } });
  const count = unread?.data.length ?? 0;
  const text = unread && unread.next_cursor !== null ? `${COUNTED_MAX}+` : number(count);
  const open = ({ id, thread_id, comment_id }: Notification) => {
    setOpen(false);
    void navigate({ to: '/threads/$id', params: { id: thread_id }, hash: comment_id ?? '' });
    void call('POST /v1/notifications/read', { body: { ids: [id] } })
      .catch(() => undefined)
      .finally(() => forget(queries, 'GET /v1/notifications'));
  };
  useEffect(() => {
    if (!isOpen) return;
    const onPress = ({ target }: PointerEvent) => {
      if (!root.current?.contains(target instanceof Node ? target : null)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the panel wherever the focus is in it
    <div
      ref={root}
      className="relative shrink-0"
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false);
      }}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={count === 0 ? 'Notifications' : `Notifications, ${text} unread`}
        title="Notifications"
        onClick={() => setOpen(!isOpen)}
        className="relative grid size-9 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink"
      >
        <Bell className="size-4" aria-hidden />
        {count === 0 ? null : (
          <span
            aria-hidden
            className="absolute top-0.5 right-0 min-w-4 rounded-full bg-accent px-1 text-center text-[0.625rem] leading-4 font-semibold text-paper"
          >
            {text}
          </span>
        )}
      </button>
      {isOpen ? (
        <Suspense fallback={null}>
          <Panel onOpen={open} onClose={() => setOpen(false)} onDesktop={setDesktop} />
        </Suspense>
      ) : null}
      {isDesktop ? (
        <Suspense fallback={null}>
          <Desktop unread={unread?.data} since={openedAt} onOpen={open} />
        </Suspense>
      ) : null}
    </div>
  );
}

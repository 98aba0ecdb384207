import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { call } from '../api/client.ts';
import { isDesktopOn, keepDesktop } from '../api/desktop.ts';
import { useThreadChanges } from '../api/live.ts';
import type { Notification as Told } from '../api/schema.ts';
import { visible } from '../ui/name.tsx';
import { addressOf } from '../ui/parts.tsx';

export type DesktopState = 'on' | 'off' | 'denied' | 'unsupported';

export function desktopState(): DesktopState {
  if (!('Notification' in globalThis)) return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : isDesktopOn() ? 'on' : 'off';
}

export async function turnDesktop(to: 'on' | 'off'): Promise<DesktopState> {
  keepDesktop(to);
  if (to === 'on') await Notification.requestPermission();
  return desktopState();
}

const NEW_THREADS_READ = 5;

interface DesktopNotificationsProps {
  unread: Told[] | undefined;
  /** ISO 8601. Older notifications are not shown. */
  since: string;
  onOpen(notification: Told): void;
}

/** Shows nothing on the page. */
export function DesktopNotifications({ unread, since, onOpen }: DesktopNotificationsProps) {
  const navigate = useNavigate();
  const shown = useRef(new Set<string>());
  const show = useCallback((id: string, title: string, body: string, open: () => void) => {
    if (shown.current.has(id) || document.hasFocus()) return;
    shown.current.add(id);
    // The tag keeps several tabs from showing it several times.
    const notification = new Notification(visible(title), { body: visible(body), tag: id });
    notification.onclick = () => {
      window.focus();
      notification.close();
      open();
    };
  }, []);
  const showTold = useEffectEvent((told: Told) => {
    const what = told.kind === 'mention' ? 'mentioned you' : 'assigned a thread to you';
    show(told.id, `${told.by.name} ${what}`, told.subject ?? 'No subject', () => onOpen(told));
  });
  useEffect(() => {
    if (!isDesktopOn()) return;
    for (const told of unread ?? []) if (told.created_at > since) showTold(told);
  }, [unread, since]);

  const showNewThreads = useCallback(async () => {
    if (!isDesktopOn() || document.hasFocus()) return;
    const query = { status: 'open', box: 'in', unread: true, limit: NEW_THREADS_READ, since } as const;
    for (const thread of (await call('GET /v1/threads', { query })).data)
      if (thread.message_count === 1)
        show(
          thread.id,
          thread.with.display_name || addressOf(thread.with),
          thread.subject ?? 'New thread',
          () => void navigate({ to: '/threads/$id', params: { id: thread.id } }),
        );
  }, [show, navigate, since]);
  useThreadChanges(useCallback(() => void showNewThreads().catch(() => undefined), [showNewThreads]));
  return null;
}

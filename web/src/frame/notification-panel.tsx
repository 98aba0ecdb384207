import { AtSign, BellRing, UserRoundCheck } from 'lucide-react';
import { useState } from 'react';
import { useAction, useReading } from '../api/queries.ts';
import type { Notification } from '../api/schema.ts';
import { Button } from '../ui/button.tsx';
import { Name } from '../ui/name.tsx';
import { Time } from '../ui/parts.tsx';
import { States } from '../ui/states.tsx';
import { desktopState, turnDesktop } from './desktop-notifications.ts';

const SHOWN_MAX = 30;

interface NotificationPanelProps {
  onOpen(notification: Notification): void;
  onClose(): void;
  onDesktop(isOn: boolean): void;
}

export function NotificationPanel({ onOpen, onDesktop }: NotificationPanelProps) {
  const notifications = useReading('GET /v1/notifications', { query: { limit: SHOWN_MAX } });
  const read = useAction('POST /v1/notifications/read', { changes: ['GET /v1/notifications'] });
  const hasUnread = notifications.data?.data.some((one) => !one.read) ?? false;
  return (
    <section
      aria-label="Notifications"
      className="fixed inset-x-3 top-14 z-40 flex max-h-[70dvh] flex-col overflow-hidden rounded-xl border border-line bg-paper shadow-2xl lg:absolute lg:inset-x-auto lg:top-full lg:left-0 lg:mt-1 lg:w-96"
    >
      <header className="flex items-center justify-between gap-2 border-b border-line px-4 py-2">
        <h2 className="font-semibold">Notifications</h2>
        <Button look="quiet" className="-mr-2" disabled={!hasUnread} onClick={() => read.mutate({ body: {} })}>
          Mark all read
        </Button>
      </header>
      <div className="min-h-0 grow overflow-y-auto p-1">
        <States of={notifications} rows={2}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="px-4 py-8 text-center text-soft">
                No notifications yet. You get one when somebody mentions you in a comment or assigns a thread to you.
              </p>
            ) : (
              <ul aria-label="Notifications">
                {data.map((one) => (
                  <li key={one.id}>
                    <Entry notification={one} onOpen={() => onOpen(one)} />
                  </li>
                ))}
              </ul>
            )
          }
        </States>
      </div>
      <Desktop onTurned={onDesktop} />
    </section>
  );
}

function Entry({ notification: { kind, by, subject, created_at, read }, onOpen }: { notification: Notification; onOpen(): void }) {
  const Icon = kind === 'mention' ? AtSign : UserRoundCheck;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex w-full items-start gap-3 rounded-lg px-3 py-2 text-left -outline-offset-2 hover:bg-hover"
    >
      <Icon className="mt-0.5 size-4 shrink-0 text-soft" aria-hidden />
      <span className="min-w-0 grow">
        <span className={read ? 'text-soft' : 'font-medium'}>
          {read ? null : <span className="sr-only">Unread: </span>}
          <Name>{by.name}</Name> {kind === 'mention' ? 'mentioned you' : 'assigned a thread to you'}
        </span>
        <Name className="block truncate text-sm text-soft">{subject ?? 'No subject'}</Name>
      </span>
      <span className="flex shrink-0 items-center gap-2 text-xs text-soft">
        <Time at={created_at} />
        {read ? null : <span className="size-2 rounded-full bg-accent" aria-hidden />}
      </span>
    </button>
  );
}

/** Permission is asked for only when somebody presses the button. */
function Desktop({ onTurned }: { onTurned(isOn: boolean): void }) {
  const [state, setState] = useState(desktopState);
  const turn = async () => {
    const turned = await turnDesktop(state === 'on' ? 'off' : 'on');
    setState(turned);
    onTurned(turned === 'on');
  };
  if (state === 'unsupported') return null;
  return (
    <footer className="flex items-center justify-between gap-3 border-t border-line px-4 py-2 text-sm text-soft">
      <span className="flex items-center gap-2">
        <BellRing className="size-4 shrink-0" aria-hidden />
        {state === 'denied' ? 'This browser blocks notifications of this site.' : 'On this desktop: mentions, assignments and new threads.'}
      </span>
      {state === 'denied' ? null : <Button onClick={() => void turn()}>{state === 'on' ? 'Turn off' : 'Turn on'}</Button>}
    </footer>
  );
}

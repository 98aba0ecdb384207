import { EllipsisVertical } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { retried } from '../../api/lazy.ts';
import { Menu } from '../../ui/menu.tsx';
import type { Block } from './message-dialogs.tsx';
import type { Message } from './thread-messages.ts';

const MessageMenuItems = lazy(retried(async () => ({ default: (await import('./message-menu-items.tsx')).MessageMenuItems })));
const MessageSource = lazy(retried(async () => ({ default: (await import('./message-dialogs.tsx')).MessageSource })));
const PrintDocument = lazy(retried(async () => ({ default: (await import('./print-document.tsx')).PrintDocument })));
const BlockSender = lazy(retried(async () => ({ default: (await import('./message-dialogs.tsx')).BlockSender })));

export function MessageMenu({ message, onReply }: { message: Message; onReply(): void }) {
  const [shown, setShown] = useState<'source' | 'print' | Block>();
  return (
    <>
      <Menu
        name="Message actions"
        isLeftward
        className="grid size-8 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink"
        label={<EllipsisVertical className="size-4" aria-hidden />}
      >
        <Suspense>
          <MessageMenuItems message={message} onReply={onReply} onShow={setShown} />
        </Suspense>
      </Menu>
      <Suspense fallback={null}>
        {shown === 'source' ? <MessageSource message={message} onClose={() => setShown(undefined)} /> : null}
        {shown === 'print' ? <PrintDocument message={message} onDone={() => setShown(undefined)} /> : null}
        {typeof shown === 'object' ? <BlockSender block={shown} onClose={() => setShown(undefined)} /> : null}
      </Suspense>
    </>
  );
}

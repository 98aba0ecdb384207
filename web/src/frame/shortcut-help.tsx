import { Dialog } from '../ui/dialog.tsx';

const SHORTCUTS: [keys: string, what: string][] = [
  ['c', 'New message'],
  ['g i', 'Go to inbox'],
  ['g o', 'Go to outbox'],
  ['g c', 'Go to contacts'],
  ['g w', 'Go to webhooks'],
  ['j, k', 'Next or previous message'],
  ['Enter', 'Open message'],
  ['/', 'Filter or search'],
  ['r', 'Reply'],
  ['u', 'Back to the list'],
  ['?', 'Show shortcuts'],
];

export function ShortcutHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-2">
        {SHORTCUTS.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-tint px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
            </dt>
            <dd className="text-soft">{what}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-sm text-soft">You can turn shortcuts off in Settings.</p>
    </Dialog>
  );
}

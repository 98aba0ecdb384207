import { Dialog } from '../ui/dialog.tsx';

const SHORTCUTS: [keys: string, what: string][] = [
  ['c', 'Write a message'],
  ['g i', 'Go to the inbox'],
  ['g o', 'Go to the outbox'],
  ['g c', 'Go to the contacts'],
  ['g w', 'Go to the webhooks'],
  ['j, k', 'Next, previous message of a list'],
  ['Enter', 'Open the message'],
  ['/', 'Filter the list'],
  ['r', 'Reply'],
  ['u', 'Back to the list'],
  ['?', 'This help'],
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
      <p className="mt-4 text-sm text-soft">They can be turned off in the settings.</p>
    </Dialog>
  );
}

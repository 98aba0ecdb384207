import { Dialog } from '../ui/dialog.tsx';

const SHORTCUTS: [group: string, keys: [keys: string, what: string][]][] = [
  [
    'Threads',
    [
      ['j, k', 'Next or previous'],
      ['Enter', 'Open'],
      ['x', 'Select'],
      ['e', 'Done'],
      ['a', 'Assign'],
      ['l', 'Label'],
      ['U', 'Mark unread'],
      ['f', 'Filter'],
    ],
  ],
  [
    'Open thread',
    [
      ['r', 'Reply'],
      ['m', 'Comment'],
      ['y', 'Confirm or accept the newest document'],
      ['Y', 'Confirm it with changes'],
      ['n', 'Reject it'],
      ['d', 'Dispute it'],
      ['u', 'Back to the list'],
      ['Esc', 'Close the reply or comment. While it is open, keys are text.'],
    ],
  ],
  [
    'Go to',
    [
      ['g i', 'Open threads'],
      ['g m', 'Mine'],
      ['g u', 'Unassigned'],
      ['g d', 'Done'],
      ['g o', 'Sent'],
      ['g a', 'All'],
      ['g c', 'Contacts'],
      ['g w', 'Webhooks'],
    ],
  ],
  [
    'Everywhere',
    [
      ['c', 'New message'],
      ['/', 'Search'],
      ['Ctrl K', 'Commands (⌘K)'],
      ['?', 'Show shortcuts'],
    ],
  ],
];

export function ShortcutHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="columns-1 gap-8 sm:columns-2">
        {SHORTCUTS.map(([group, all]) => (
          <section key={group} className="mb-5 break-inside-avoid">
            <h3 className="mb-2 text-sm font-semibold">{group}</h3>
            <dl className="grid grid-cols-[3.5rem_1fr] gap-y-1.5">
              {all.map(([keys, what]) => (
                <div key={keys} className="contents">
                  <dt>
                    <kbd className="rounded border border-line bg-tint px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
                  </dt>
                  <dd className="text-soft">{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="mt-4 text-sm text-soft">You can turn shortcuts off in Settings.</p>
    </Dialog>
  );
}

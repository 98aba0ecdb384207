import { type KeyboardEvent, lazy, Suspense, useId, useMemo, useState } from 'react';
import { retried } from '../../api/lazy.ts';
import { DocumentView } from '../../documents/document-view.tsx';
import { Verdict } from '../../json/verdict.tsx';
import { useCommands } from '../../ui/commands.ts';
import { addressOf } from '../../ui/parts.tsx';
import { Loading, States } from '../../ui/states.tsx';
import { type Tab, useChosenTab } from './chosen-tab.ts';
import { type Message, useFullMessage } from './thread-messages.ts';

const JsonView = lazy(retried(async () => ({ default: (await import('../../json/json-view.tsx')).JsonView })));
const PrintDocument = lazy(retried(async () => ({ default: (await import('./print-document.tsx')).PrintDocument })));

const TABS: readonly [tab: Tab, label: string][] = [
  ['document', 'Document'],
  ['json', 'JSON'],
];

/** The JSON of a message: as a document, and as it was sent. */
export function MessageJson({ message }: { message: Message }) {
  const [tab, choose] = useChosenTab(message.id);
  const full = useFullMessage(message);
  const id = useId();
  const isDocument = tab === 'document';
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line print:hidden">
        <TabList id={id} tab={tab} onChoose={choose} />
        {isDocument && message.validation ? <Verdict status={message.validation.status} /> : null}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        <States of={full} rows={3}>
          {({ json = 'null' }) =>
            isDocument ? (
              <DocumentView text={json} message={message} />
            ) : (
              <Suspense fallback={<Loading rows={3} label="Loading JSON" />}>
                <JsonView text={json} name={message.id} validation={message.validation} sentAs={sentAs(message)} />
              </Suspense>
            )
          }
        </States>
      </div>
      <PrintCommand message={message} />
    </div>
  );
}

function sentAs({ to, type }: Message) {
  return { to: `${addressOf(to.party).replace(/^@/, '')}${to.segment === null ? '' : `/${to.segment}`}`, type };
}

/** Tabs with the keyboard behaviour of the WAI-ARIA practices: an arrow key goes to the other one and shows it. */
function TabList({ id, tab, onChoose }: { id: string; tab: Tab; onChoose(tab: Tab): void }) {
  const onKey = (event: KeyboardEvent) => {
    if (!/^(Arrow(Left|Right)|Home|End)$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = event.key === 'Home' ? 'document' : event.key === 'End' ? 'json' : tab === 'json' ? 'document' : 'json';
    event.preventDefault();
    onChoose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="How the message is shown" className="flex gap-1" onKeyDown={onKey}>
      {TABS.map(([one, label]) => (
        <button
          key={one}
          type="button"
          role="tab"
          id={`${id}-${one}`}
          aria-selected={one === tab}
          aria-controls={`${id}-panel`}
          tabIndex={one === tab ? 0 : -1}
          onClick={() => onChoose(one)}
          className={`-mb-px rounded-t border-b-2 px-2.5 py-1.5 text-sm font-medium -outline-offset-2 ${one === tab ? 'border-ink' : 'border-transparent text-soft hover:text-ink'}`}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

function PrintCommand({ message }: { message: Message }) {
  const [isPrinting, setPrinting] = useState(false);
  const { type, subject } = message;
  const name = `Print ${[type ?? 'document', subject].filter(Boolean).join(' ').slice(0, 80)}`;
  useCommands(useMemo(() => [{ name, run: () => setPrinting(true) }], [name]));
  if (!isPrinting) return null;
  return (
    <Suspense fallback={null}>
      <PrintDocument message={message} onDone={() => setPrinting(false)} />
    </Suspense>
  );
}

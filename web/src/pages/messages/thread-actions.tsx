import { ChevronDown } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { useReading } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { type Command, useCommands } from '../../ui/commands.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { type Shortcuts, useShortcuts } from '../../ui/shortcuts.ts';
import { say } from '../../ui/toast.tsx';
import { ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';
import { type Choice, choicesOf, isOpenDocument, nounOf } from './document-choices.ts';
import { isReceived, type Message } from './thread-messages.ts';
import { useChoice } from './use-choice.tsx';

/** Documents before these are not asked about. */
const DOCUMENTS_MAX = 5;

interface ThreadActionsProps {
  messages: readonly Message[];
  onReply(id: string): void;
}

/** What can be done with the newest open document of a thread: in its toolbar, by commands and by shortcuts. */
export function ThreadActions({ messages, onReply }: ThreadActionsProps) {
  const business = useActiveBusiness();
  const documents = useMemo(
    () =>
      messages
        .filter((message) => choicesOf(message.type, message.json_sha256 !== null, isReceived(message, business), null).length > 0)
        .slice(-DOCUMENTS_MAX)
        .reverse(),
    [messages, business],
  );
  return <NewestOpen documents={documents} onReply={onReply} />;
}

function NewestOpen({ documents: [newest, ...older], onReply }: { documents: readonly Message[]; onReply(id: string): void }) {
  return newest ? <OpenOrOlder key={newest.id} message={newest} older={older} onReply={onReply} /> : null;
}

interface OpenOrOlderProps {
  message: Message;
  older: readonly Message[];
  onReply(id: string): void;
}

function OpenOrOlder({ message, older, onReply }: OpenOrOlderProps) {
  const { id, type, json_sha256 } = message;
  const isForUs = isReceived(message, useActiveBusiness());
  const { data } = useReading(ACKNOWLEDGEMENTS, { path: { id } });
  const latest = data?.data.at(-1)?.status ?? null;
  const choices = useMemo(() => choicesOf(type, json_sha256 !== null, isForUs, latest), [type, json_sha256, isForUs, latest]);
  if (data === undefined) return null;
  if (!isOpenDocument(isForUs, latest) || choices.length === 0) return <NewestOpen documents={older} onReply={onReply} />;
  return <Offered message={message} choices={choices} isAwaited={isForUs && latest === null} onReply={() => onReply(id)} />;
}

interface OfferedProps {
  message: Message;
  choices: readonly Choice[];
  /** The sender waits for what is said of it. */
  isAwaited: boolean;
  onReply(): void;
}

const MORE = 'h-9 w-7 rounded-r-lg grid place-items-center transition-colors';

function Offered({ message, choices, isAwaited, onReply }: OfferedProps) {
  const { run, running, error, dialogs } = useChoice(message, onReply);
  useOffers(choices, run);
  useEffect(() => {
    if (error) say(error.message);
  }, [error]);
  const [first, ...rest] = choices;
  if (!first) return null;
  const noun = nounOf(message.type).slice(0, NOUN_MAX_CHARS);
  const isSplit = rest.length > 0;
  return (
    <div className="flex min-w-0 max-sm:order-last max-sm:basis-full">
      <Button
        look={isAwaited ? 'primary' : 'secondary'}
        isBusy={running === first}
        disabled={running !== undefined}
        title={`${first.action.label} (${noun})`}
        onClick={() => run(first)}
        className={isSplit ? 'rounded-r-none' : ''}
      >
        {first.action.label}
        <span className="sr-only"> ({noun})</span>
      </Button>
      {isSplit ? (
        <Menu
          name={`More for this ${noun}`}
          label={<ChevronDown className="size-4" aria-hidden />}
          className={`${MORE} ${isAwaited ? 'border-l border-paper/30 bg-ink text-paper hover:opacity-90' : 'border border-l-0 border-line text-soft hover:bg-hover'}`}
        >
          {rest.map((choice) => (
            <MenuItem key={choice.action.id} onSelect={() => run(choice)}>
              {choice.action.label}
            </MenuItem>
          ))}
        </Menu>
      ) : null}
      {dialogs}
    </div>
  );
}

/** Types are texts by strangers. */
const NOUN_MAX_CHARS = 40;

const KEYS = new Map([
  ['confirm', 'y'],
  ['accept', 'y'],
  ['quote', 'y'],
  ['order', 'y'],
  ['confirm-receipt', 'y'],
  ['confirm-with-changes', 'Y'],
  ['reject', 'n'],
  ['decline', 'n'],
  ['dispute', 'd'],
]);

function useOffers(choices: readonly Choice[], run: (choice: Choice) => void): void {
  const { commands, shortcuts } = useMemo(() => {
    const commands: Command[] = [];
    const shortcuts: Shortcuts = {};
    for (const choice of choices) {
      const keys = KEYS.get(choice.action.id);
      const start = () => run(choice);
      commands.push({ name: choice.action.label, ...(keys !== undefined && { keys }), run: start });
      if (keys !== undefined) shortcuts[keys] = start;
    }
    return { commands, shortcuts };
  }, [choices, run]);
  useCommands(commands);
  useShortcuts(shortcuts);
}

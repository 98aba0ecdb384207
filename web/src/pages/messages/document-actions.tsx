import { useMemo } from 'react';
import type { Acknowledgement } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { choicesOf } from './document-choices.ts';
import type { Message } from './thread-messages.ts';
import { useChoice } from './use-choice.tsx';

interface DocumentActionsProps {
  message: Message;
  latest: Acknowledgement['status'] | null;
  isForUs: boolean;
  onReply(): void;
}

/** Buttons for what can be done with the document of a message. */
export function DocumentActions({ message, latest, isForUs, onReply }: DocumentActionsProps) {
  const { type, json_sha256 } = message;
  const choices = useMemo(() => choicesOf(type, json_sha256 !== null, isForUs, latest), [type, json_sha256, isForUs, latest]);
  const { run, running, error, dialogs } = useChoice(message, onReply);
  if (choices.length === 0) return null;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 print:hidden">
        {choices.map((choice, index) => (
          <Button
            key={choice.action.id}
            look={index === 0 ? 'secondary' : 'quiet'}
            isBusy={running === choice}
            disabled={running !== undefined}
            onClick={() => run(choice)}
          >
            {choice.action.label}
          </Button>
        ))}
        {error ? <span role="alert">{error.message}</span> : null}
      </p>
      {dialogs}
    </>
  );
}

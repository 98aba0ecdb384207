import { Reply } from 'lucide-react';
import { correctionOf } from '../../json/issues-in-words.ts';
import { Button } from '../../ui/button.tsx';
import { useDraft } from './draft.ts';
import type { Message } from './thread-messages.ts';

/** Fills the reply to a message that failed its schema with what is wrong, for somebody to read and send. */
export function Correction({ message, onReply }: { message: Message; onReply(): void }) {
  const { thread_id, subject, type, validation } = message;
  const { draft, change } = useDraft(thread_id);
  const fill = () => {
    const text = correctionOf(validation.errors, subject ?? type);
    // What somebody has written stays.
    if (!draft.note.includes(text)) change({ note: draft.note.trim() === '' ? text : `${draft.note.trimEnd()}\n\n${text}` });
    onReply();
  };
  return (
    <div className="-mt-2 print:hidden">
      <Button onClick={fill} icon={<Reply className="size-4" aria-hidden />}>
        Reply with what is wrong
      </Button>
    </div>
  );
}

import { MessageSquarePlus } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { useAction, useReading } from '../../../api/queries.ts';
import type { Worker } from '../../../api/schema.ts';
import { WorkerMark } from '../../../parts/worker-mark.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Option, OptionList, useOptions } from '../../../ui/options.tsx';
import { ErrorNote } from '../../../ui/states.tsx';
import { useTask } from '../../../ui/task.ts';
import { takeKeys } from '../../../ui/type-ahead.ts';

const SUGGESTED_MAX = 6;
const TEXT_MAX_CHARS = 10_000;
/** A name is being typed: from the @ to the cursor. */
const MENTION = /(?:^|\s)@([^@\n]{0,40})$/;

interface CommentFormProps {
  threadId: string;
  textRef: RefObject<HTMLTextAreaElement | null>;
  onAdded(): void;
}

/** A comment, in which members and agents can be mentioned by typing @. */
export function CommentForm({ threadId, textRef, onAdded }: CommentFormProps) {
  const [text, setText] = useState('');
  const [cursor, setCursor] = useState(0);
  const [mentioned, setMentioned] = useState<Worker[]>([]);
  const add = useAction('POST /v1/threads/{id}/comments', { changes: ['GET /v1/threads/{id}/comments'] });
  const { isBusy, error, run } = useTask();
  const suggestions = useSuggestions(text.slice(0, cursor), (worker, typed) => {
    const from = cursor - typed.length;
    const name = `${worker.name} `;
    setText(`${text.slice(0, from)}${name}${text.slice(cursor)}`);
    setMentioned([...mentioned.filter(({ id }) => id !== worker.id), worker]);
    setCursor(from + name.length);
    requestAnimationFrame(() => textRef.current?.setSelectionRange(from + name.length, from + name.length));
  });
  const { field, list, isShown } = useOptions(suggestions);
  // A text of several lines is no combobox.
  const { role: _role, 'aria-expanded': _expanded, ...suggesting } = field;
  const begin = useEffectEvent(() => {
    textRef.current?.focus();
    const held = takeKeys();
    if (held === '') return;
    setText(held);
    setCursor(held.length);
  });
  useEffect(() => {
    const timer = setTimeout(begin);
    return () => clearTimeout(timer);
  }, []);
  const submit = () =>
    run(async () => {
      if (text.trim() === '') return;
      const mentions = mentioned.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id);
      await add.mutateAsync({ path: { id: threadId }, body: { text, mentions } });
      setText('');
      setMentioned([]);
      onAdded();
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    } else field.onKeyDown(event);
  };
  return (
    <form
      aria-label="Comment"
      className="relative"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {isShown ? (
        <div className="absolute bottom-full left-0 z-30 mb-1 w-72 max-w-full rounded-xl border border-line bg-paper shadow-xl">
          <OptionList {...list} label="Mention" className="max-h-60" />
        </div>
      ) : null}
      <textarea
        {...suggesting}
        ref={textRef}
        aria-label="Comment"
        rows={2}
        maxLength={TEXT_MAX_CHARS}
        value={text}
        placeholder="Only your business sees this. Type @ to mention somebody."
        onChange={({ target }) => {
          setText(target.value);
          setCursor(target.selectionStart);
        }}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-60 min-h-14 w-full resize-none bg-transparent py-2 text-lg outline-none sm:text-base"
      />
      {error ? <ErrorNote error={error} /> : null}
      <div className="flex justify-end">
        <Button
          type="submit"
          look="primary"
          isBusy={isBusy}
          disabled={text.trim() === ''}
          title="Ctrl+Enter or ⌘+Enter"
          icon={<MessageSquarePlus className="size-4" aria-hidden />}
        >
          Comment
        </Button>
      </div>
    </form>
  );
}

/** Members and agents whose names fit what is typed after an @. */
function useSuggestions(before: string, choose: (worker: Worker, typed: string) => void): Option[] {
  const typed = MENTION.exec(before)?.[1];
  const { data } = useReading('GET /v1/threads/assignees', {}, { enabled: typed !== undefined });
  if (typed === undefined) return [];
  return (data?.data ?? [])
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()) && typed !== `${name} `)
    .slice(0, SUGGESTED_MAX)
    .map((worker) => ({
      key: worker.id,
      text: worker.name,
      hint: worker.kind === 'agent' ? 'Agent' : undefined,
      icon: <WorkerMark worker={worker} isNamed={false} />,
      choose: () => choose(worker, typed),
    }));
}

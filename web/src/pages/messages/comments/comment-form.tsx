import { MessageSquarePlus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react';
import { COMMENT_MAX_CHARS } from '../../../api/limits.ts';
import { useAction, useReading } from '../../../api/queries.ts';
import type { Colleague } from '../../../api/schema.ts';
import { ColleagueMark } from '../../../parts/colleague-mark.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Option, OptionList, useOptions } from '../../../ui/options.tsx';
import { isTyping } from '../../../ui/shortcuts.ts';
import { ErrorNote } from '../../../ui/states.tsx';
import { useTask } from '../../../ui/task.ts';
import { takeKeys } from '../../../ui/type-ahead.ts';
import { useCommentDraft } from '../draft.ts';
import { keysPlace, type ThreadWriting, useFoldWhenLeft } from '../use-writing.ts';

const SUGGESTED_MAX = 6;
/** Matches the name that is being typed, from the @ to the cursor. */
const MENTION = /(?:^|\s)@([^@\n]{0,40})$/;

interface CommentFormProps {
  threadId: string;
  writing: ThreadWriting;
  onAdded(): void;
}

export function CommentForm({ threadId, writing, onAdded }: CommentFormProps) {
  const { comment: textRef, fold } = writing;
  const { fields, change, clear, textNow } = useCommentDraft(threadId);
  const { text } = fields;
  const mentioned = JSON.parse(fields.mentioned) as Colleague[];
  const [cursor, setCursor] = useState(text.length);
  const add = useAction('POST /v1/threads/{id}/comments', { changes: ['GET /v1/threads/{id}/comments'] });
  const { isBusy, error, run } = useTask();
  useFoldWhenLeft(writing, text.trim() === '');
  const suggestions = useSuggestions(text.slice(0, cursor), (colleague, typed) => {
    const from = cursor - typed.length;
    const name = `${colleague.name} `;
    const others = mentioned.filter(({ id }) => id !== colleague.id);
    change({ text: `${text.slice(0, from)}${name}${text.slice(cursor)}`, mentioned: JSON.stringify([...others, colleague]) });
    setCursor(from + name.length);
    requestAnimationFrame(() => textRef.current?.setSelectionRange(from + name.length, from + name.length));
  });
  const { field, list, isShown } = useOptions(suggestions);
  // A field of several lines can't have the role combobox.
  const { role: _role, 'aria-expanded': _expanded, ...suggesting } = field;
  useFirstKeys(() => {
    textRef.current?.focus();
    const held = takeKeys(keysPlace('comment', threadId));
    if (held === '') return;
    change({ text: text + held });
    setCursor(text.length + held.length);
  });
  const submit = () =>
    run(async () => {
      if (isBusy || text.trim() === '') return;
      await add.mutateAsync({ path: { id: threadId }, body: { text, mentions: idsIn(text, mentioned) } });
      // Text that was typed while the comment was sent belongs to the next comment.
      const now = textNow();
      clear();
      if (now !== text) change({ text: now.startsWith(text) ? now.slice(text.length) : now });
      onAdded();
      if (now === text && !isTyping(document.activeElement)) fold();
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
        maxLength={COMMENT_MAX_CHARS}
        value={text}
        placeholder="Only your business sees this. Type @ to mention somebody."
        onChange={({ target }) => {
          change({ text: target.value });
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

function idsIn(text: string, mentioned: readonly Colleague[]): string[] {
  return mentioned.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id);
}

/** Calls the function once the form is there, for keys that were typed while its script was loading. */
function useFirstKeys(take: () => void): void {
  const begin = useEffectEvent(take);
  useEffect(() => {
    const timer = setTimeout(begin);
    return () => clearTimeout(timer);
  }, []);
}

function useSuggestions(before: string, choose: (colleague: Colleague, typed: string) => void): Option[] {
  const typed = MENTION.exec(before)?.[1];
  const { data } = useReading('GET /v1/threads/assignees', {}, { enabled: typed !== undefined });
  if (typed === undefined) return [];
  return (data?.data ?? [])
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()) && typed !== `${name} `)
    .slice(0, SUGGESTED_MAX)
    .map((colleague) => ({
      key: colleague.id,
      text: colleague.name,
      hint: colleague.kind === 'agent' ? 'Agent' : undefined,
      icon: <ColleagueMark colleague={colleague} isNamed={false} />,
      choose: () => choose(colleague, typed),
    }));
}

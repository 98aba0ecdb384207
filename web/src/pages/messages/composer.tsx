import { Braces, SendHorizontal } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type Ref, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ApiError } from '../../api/client.ts';
import type { Envelope } from '../../api/schema.ts';
import { useSend } from '../../api/send.ts';
import { useUploads } from '../../api/uploads.ts';
import { Attachments } from '../../ui/attachments.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { takeKeys } from '../../ui/type-ahead.ts';
import { bodyOf, type Draft, isEmpty, useDraft } from './draft.ts';
import { faultOf, JsonField } from './json-field.tsx';
import { ReceiptNote } from './receipt-note.tsx';
import { RecipientField } from './recipient-field.tsx';

interface ComposerProps {
  /** The key under which the draft is stored. */
  place: string;
  /** The message to reply to; without it, a recipient must be chosen. */
  inReplyTo?: string;
  initial?: Partial<Draft>;
  noteRef?: Ref<HTMLTextAreaElement>;
  onSent(envelope: Envelope): void;
}

/** Why the draft can't be sent yet. at: the field to look at. */
interface Problem {
  at?: 'to';
  text: string;
}

const FIELDS = ['/to', '/type', '/subject', '/note', '/json', '/files'];

/** Whether a field shows the error already. */
const isAtField = ({ code, details }: ApiError): boolean =>
  code === 'unknown_recipient' || (details.length > 0 && details.every(({ path }) => FIELDS.includes(path)));

/** The form for a new message or a reply. */
export function Composer({ place, inReplyTo, initial = {}, noteRef, onSent }: ComposerProps) {
  const isReply = inReplyTo !== undefined;
  const { draft, change, clear } = useDraft(place, initial);
  const uploads = useUploads('/v1/uploads');
  const send = useSend('POST /v1/messages');
  const [isDetailed, setDetailed] = useState(!isReply || draft.type !== '' || draft.subject !== '');
  const [hasJson, setHasJson] = useState(draft.json !== '');
  const [problem, setProblem] = useState<Problem>();
  const form = useRef<HTMLFormElement>(null);
  const recipient = useRef<HTMLInputElement>(null);
  const { error } = send;

  // What was typed since the shortcut that opened the page belongs into its first empty field.
  const begin = useEffectEvent(() => {
    const typed = takeKeys();
    if (isReply) return;
    if (draft.to !== '') form.current?.querySelector('textarea')?.focus();
    else {
      recipient.current?.focus();
      if (typed !== '') change({ to: typed });
    }
  });
  useEffect(() => begin(), []);

  const text = (name: keyof Draft) => ({
    value: draft[name],
    error: error?.at(`/${name}`),
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (send.isPending) return;
    const found = problemOf();
    setProblem(found);
    if (found?.at === 'to') recipient.current?.focus();
    if (found !== undefined || uploads.ids === undefined) return;
    send.mutate(bodyOf(draft, inReplyTo, uploads.ids), {
      onSuccess: (envelope) => {
        clear();
        uploads.clear();
        setHasJson(false);
        onSent(envelope);
      },
      onError: (failure) => {
        if (failure.code === 'unknown_recipient' || failure.at('/to') !== undefined) recipient.current?.focus();
      },
    });
  };
  const problemOf = (): Problem | undefined => {
    if (!isReply && draft.to.trim() === '') return { at: 'to', text: 'Enter a recipient.' };
    if (faultOf(draft.json)) return { text: 'Fix the JSON, or remove it.' };
    if (uploads.ids === undefined) return { text: 'Wait until all files are uploaded, or remove the unfinished ones.' };
    if (isEmpty(draft) && uploads.list.length === 0) return { text: 'Add a note, JSON or a file first.' };
    return undefined;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    }
  };

  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      onKeyDown={onKey}
      aria-label={isReply ? 'Reply' : 'Message'}
      className="flex flex-col gap-4"
    >
      {isReply ? null : (
        <RecipientField
          value={draft.to}
          inputRef={recipient}
          onChange={(to) => {
            change({ to });
            setProblem(undefined);
            send.reset();
          }}
          error={
            problem?.at === 'to' ? problem.text : (error?.at('/to') ?? (error?.code === 'unknown_recipient' ? error.message : undefined))
          }
        />
      )}
      {isDetailed ? (
        <div className="grid gap-4 sm:grid-cols-[12rem_1fr]">
          <TextField label="Type" placeholder="order" maxLength={80} {...text('type')} />
          <TextField label="Subject" maxLength={200} {...text('subject')} />
        </div>
      ) : null}
      <TextArea
        ref={noteRef}
        label="Note"
        rows={isReply ? 4 : 6}
        maxLength={10_000}
        isBare={isReply}
        {...text('note')}
        placeholder={isReply ? 'Write a reply' : ''}
      />
      {hasJson ? <JsonField value={draft.json} onChange={(json) => change({ json })} error={error?.at('/json')} /> : null}
      <Attachments uploads={uploads} error={error?.at('/files')} />
      {isReply ? null : <ReceiptNote />}
      {error && !isAtField(error) ? <ErrorNote error={error} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        {isDetailed ? null : (
          <Button look="quiet" onClick={() => setDetailed(true)}>
            Add type and subject
          </Button>
        )}
        {hasJson ? null : (
          <Button look="quiet" onClick={() => setHasJson(true)} icon={<Braces className="size-4" aria-hidden />}>
            Add JSON
          </Button>
        )}
        <p role="status" className="grow text-right text-sm text-warn empty:hidden">
          {problem?.at === undefined ? problem?.text : null}
        </p>
        <Button
          type="submit"
          look="primary"
          className="ml-auto"
          isBusy={send.isPending}
          title="Ctrl+Enter or ⌘+Enter"
          icon={<SendHorizontal className="size-4" aria-hidden />}
        >
          Send
        </Button>
      </div>
      <LeaveGuard isNeeded={uploads.isUnfinished} />
    </form>
  );
}

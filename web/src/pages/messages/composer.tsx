import { Braces, SendHorizontal, Tag } from 'lucide-react';
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { Attachments } from '../../ui/attachments.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import type { Draft } from './draft.ts';
import { JsonField } from './json-field.tsx';
import { ReceiptNote } from './receipt-note.tsx';
import { RecipientFacts } from './recipient-facts.tsx';
import { RecipientField } from './recipient-field.tsx';
import { TemplateMenu } from './template-menu.tsx';
import { type ComposerProps, useComposer } from './use-composer.ts';

/** The form for a new message or a reply. */
export function Composer({ noteRef, ...props }: ComposerProps & { noteRef?: Ref<HTMLTextAreaElement> }) {
  const isReply = props.inReplyTo !== undefined;
  const form = useRef<HTMLFormElement>(null);
  const recipient = useRef<HTMLInputElement>(null);
  const composer = useComposer(props, { form, recipient });
  const { draft, change, uploads, submit, error } = composer;
  const [isDetailed, setDetailed] = useState(!isReply || draft.type !== '' || draft.subject !== '');

  const text = (name: keyof Draft) => ({
    value: draft[name],
    error: composer.errorAt(name),
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    }
  };

  return (
    <>
      {/* Outside the form: its dialog has a form of its own. */}
      {isReply ? null : (
        <div className="absolute top-0 right-0">
          <TemplateMenu draft={draft} onUse={composer.begin} />
        </div>
      )}
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onKeyDown={onKey}
        aria-label={isReply ? 'Reply' : 'Message'}
        className={`flex flex-col ${isReply ? 'gap-2' : 'gap-4'}`}
      >
        {isReply ? null : <Recipient composer={composer} inputRef={recipient} />}
        {isDetailed ? (
          <div className="grid gap-4 sm:grid-cols-[12rem_1fr]">
            <TextField label="Type" placeholder="order" maxLength={80} {...text('type')} />
            <TextField label="Subject" maxLength={200} {...text('subject')} />
          </div>
        ) : null}
        <TextArea
          ref={noteRef}
          label="Note"
          rows={isReply ? 1 : 6}
          className={isReply ? 'max-h-60 min-h-9 resize-none border-transparent! px-0! outline-none field-sizing-content' : ''}
          maxLength={10_000}
          isBare={isReply}
          {...text('note')}
          placeholder={isReply ? 'Write a reply' : ''}
        />
        {composer.hasJson ? (
          <JsonField
            key={composer.version}
            value={draft.json}
            onChange={(json) => change({ json })}
            onRemove={composer.removeJson}
            error={composer.errorAt('json')}
            to={isReply ? props.replyTo : draft.to}
          />
        ) : null}
        {isReply ? (
          <>
            {error ? <ErrorNote error={error} /> : null}
            <Attachments uploads={uploads} error={composer.errorAt('files')} isCompact>
              <Actions composer={composer} isReply {...(isDetailed ? {} : { onDetails: () => setDetailed(true) })} />
            </Attachments>
          </>
        ) : (
          <>
            <Attachments uploads={uploads} error={composer.errorAt('files')} />
            <ReceiptNote />
            {error ? <ErrorNote error={error} /> : null}
            <div className="flex flex-wrap items-center gap-2">
              <Actions composer={composer} isReply={false} />
            </div>
          </>
        )}
        <LeaveGuard isNeeded={uploads.isUnfinished} />
      </form>
    </>
  );
}

function Recipient({ composer, inputRef }: { composer: ReturnType<typeof useComposer>; inputRef: Ref<HTMLInputElement> }) {
  const { draft } = composer;
  return (
    <div className="flex flex-col gap-1.5">
      <RecipientField value={draft.to} inputRef={inputRef} onChange={composer.setRecipient} error={composer.recipientError} />
      <RecipientFacts typed={draft.to} />
    </div>
  );
}

interface ActionsProps {
  composer: ReturnType<typeof useComposer>;
  isReply: boolean;
  /** Shows the fields for type and subject. */
  onDetails?: () => void;
}

function Actions({ composer, isReply, onDetails }: ActionsProps) {
  return (
    <>
      {composer.hasJson ? null : (
        <Button look={isReply ? 'quiet' : 'secondary'} onClick={composer.addJson} icon={<Braces className="size-4" aria-hidden />}>
          <span className={isReply ? 'max-sm:sr-only' : ''}>Add JSON</span>
        </Button>
      )}
      {onDetails ? (
        <Button look="quiet" onClick={onDetails} icon={<Tag className="size-4" aria-hidden />}>
          <span className="max-sm:sr-only">Add type and subject</span>
        </Button>
      ) : null}
      <p role="status" className="grow text-right text-sm text-warn empty:hidden">
        {composer.problem}
      </p>
      <Button
        type="submit"
        look="primary"
        className="ml-auto"
        isBusy={composer.isBusy}
        title="Ctrl+Enter or ⌘+Enter"
        icon={<SendHorizontal className="size-4" aria-hidden />}
      >
        Send
      </Button>
    </>
  );
}

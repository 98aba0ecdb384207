import { Braces, Plus, SendHorizontal, Tag } from 'lucide-react';
import { type KeyboardEvent, lazy, type Ref, type RefObject, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { retried } from '../../api/lazy.ts';
import { NOTE_MAX_CHARS, SUBJECT_MAX_CHARS, TYPE_MAX_CHARS } from '../../api/limits.ts';
import type { Party } from '../../api/schema.ts';
import type { EditorHandle } from '../../parts/json-editor/editor.tsx';
import { Attachments } from '../../ui/attachments.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { AcknowledgeLine } from './acknowledge-line.tsx';
import { DocumentField } from './document-field.tsx';
import { acknowledges, type Draft } from './draft.ts';
import { ReceiptNote } from './receipt-note.tsx';
import { RecipientFacts } from './recipient-facts.tsx';
import { RecipientField } from './recipient-field.tsx';
import { TemplateMenu } from './template-menu.tsx';
import { type ComposerProps, useComposer } from './use-composer.ts';

const DocumentPicker = lazy(retried(async () => ({ default: (await import('./documents/document-picker.tsx')).DocumentPicker })));

export function Composer(props: ComposerProps) {
  const { writing, replyTo } = props;
  const isReply = props.inReplyTo !== undefined;
  const isFolded = writing !== undefined && writing.what === undefined;
  const form = useRef<HTMLFormElement>(null);
  const recipient = useRef<HTMLInputElement>(null);
  const ownNote = useRef<HTMLTextAreaElement>(null);
  const note = writing?.note ?? ownNote;
  const editor = useRef<EditorHandle>(null);
  const composer = useComposer(props, { form, recipient, note, editor });
  const { draft, change, uploads, submit, error } = composer;
  const hasDetails = draft.type !== '' || draft.subject !== '';
  const [details, setDetails] = useState<'none' | 'shown' | 'added'>(isReply && !hasDetails ? 'none' : 'shown');

  const [isPicking, setPicking] = useState(false);

  const text = (name: keyof Draft): FieldText => ({
    value: draft[name],
    error: composer.errorAt(name),
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    }
  };
  const attachments = { uploads, error: composer.errorAt('files'), onUsed: composer.focusNote };

  return (
    <>
      {/* Outside the form, because its dialog has a form of its own. */}
      {isReply ? null : (
        <div className="absolute top-0 right-0">
          <TemplateMenu draft={draft} onUse={composer.begin} onDone={() => note.current?.focus()} />
        </div>
      )}
      {isPicking ? (
        <Suspense fallback={null}>
          <DocumentPicker
            other={isReply ? partyOf(replyTo) : partyTo(draft.to)}
            onChoose={composer.addDocument}
            onClose={() => setPicking(false)}
          />
        </Suspense>
      ) : null}
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onKeyDown={onKey}
        aria-label={isReply ? 'Reply' : 'Message'}
        className={`flex flex-col ${isReply ? 'gap-2' : 'gap-4'}`}
      >
        {isReply ? null : <Recipient composer={composer} inputRef={recipient} />}
        {details === 'none' ? null : <Details text={text} isHidden={isFolded} isAdded={details === 'added'} />}
        <Note inputRef={note} isReply={isReply} isFolded={isFolded} {...text('note')} />
        <MessageDocument composer={composer} editor={editor} to={isReply ? handleOf(replyTo) : draft.to} isHidden={isFolded} />
        {acknowledges(draft, props.inReplyTo) ? (
          <AcknowledgeLine draft={draft} isHidden={isFolded} onRemove={() => change({ acknowledge: '' })} />
        ) : null}
        {isFolded ? <Rest draft={draft} files={uploads.list.length} /> : null}
        {isReply ? (
          <div hidden={isFolded}>
            {error ? <ErrorNote error={error} /> : null}
            <Attachments {...attachments} isCompact>
              <Actions
                composer={composer}
                isReply
                onDocument={() => setPicking(true)}
                {...(details === 'none' && { onDetails: () => setDetails('added') })}
              />
            </Attachments>
          </div>
        ) : (
          <>
            <Attachments {...attachments} />
            <ReceiptNote />
            {error ? <ErrorNote error={error} /> : null}
            <div className="flex flex-wrap items-center gap-2">
              <Actions composer={composer} isReply={false} onDocument={() => setPicking(true)} />
            </div>
          </>
        )}
        <LeaveGuard isNeeded={uploads.list.length > 0} isUnfinished={uploads.isUnfinished} />
      </form>
    </>
  );
}

interface FieldText {
  value: string;
  error: string | undefined;
  onChange(event: { target: { value: string } }): void;
}

function Note({
  inputRef,
  isReply,
  isFolded,
  ...text
}: FieldText & { inputRef: Ref<HTMLTextAreaElement>; isReply: boolean; isFolded: boolean }) {
  const size = isFolded ? 'max-h-9 overflow-hidden' : 'max-h-60 field-sizing-content';
  return (
    <TextArea
      ref={inputRef}
      label="Note"
      rows={isReply ? 1 : 6}
      className={isReply ? `min-h-9 resize-none border-transparent! px-0! outline-none ${size}` : ''}
      maxLength={NOTE_MAX_CHARS}
      isBare={isReply}
      {...text}
      placeholder={isReply ? 'Write a reply' : ''}
    />
  );
}

interface MessageDocumentProps {
  composer: ReturnType<typeof useComposer>;
  editor: RefObject<EditorHandle | null>;
  to: string | undefined;
  isHidden: boolean;
}

function MessageDocument({ composer, editor, to, isHidden }: MessageDocumentProps) {
  const { draft, change } = composer;
  if (!composer.hasJson) return null;
  return (
    <div hidden={isHidden}>
      <DocumentField
        key={composer.version}
        editor={editor}
        type={draft.type}
        view={composer.view}
        onView={composer.setView}
        value={draft.json}
        onChange={(json) => change({ json })}
        onRemove={composer.removeJson}
        onDocument={composer.addDocument}
        onFiles={composer.uploads.add}
        error={composer.errorAt('json')}
        to={to}
        startsFocused={composer.isJsonAdded}
      />
    </div>
  );
}

const partyOf = (party: Party | undefined) => (party?.kind === 'handle' ? { handle: party.handle, name: party.display_name } : undefined);

/** The party of a typed address. Undefined: it is none yet. */
function partyTo(address: string) {
  const handle = address.trim().replace(/^@/, '').split('/')[0]?.toLowerCase() ?? '';
  return /^[a-z0-9][a-z0-9-]{1,31}$/.test(handle) ? { handle, name: undefined } : undefined;
}

const handleOf = (party: Party | undefined): string | undefined => (party?.kind === 'handle' ? party.handle : undefined);

interface DetailsProps {
  text(name: 'type' | 'subject'): FieldText;
  isHidden: boolean;
  /** Somebody wants to fill the fields in now. */
  isAdded: boolean;
}

function Details({ text, isHidden, isAdded }: DetailsProps) {
  const type = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isAdded) type.current?.focus();
  }, [isAdded]);
  return (
    <div hidden={isHidden} className={isHidden ? '' : 'grid gap-4 sm:grid-cols-[12rem_1fr]'}>
      <TextField ref={type} label="Type" placeholder="order" maxLength={TYPE_MAX_CHARS} {...text('type')} />
      <TextField label="Subject" maxLength={SUBJECT_MAX_CHARS} {...text('subject')} />
    </div>
  );
}

function Rest({ draft: { type, subject, json }, files }: { draft: Draft; files: number }) {
  const rest = [
    ...(type === '' ? [] : ['type']),
    ...(subject === '' ? [] : ['subject']),
    ...(json === '' ? [] : ['JSON']),
    ...(files === 0 ? [] : [files === 1 ? '1 file' : `${files} files`]),
  ];
  if (rest.length === 0) return null;
  return <p className="text-sm text-soft">Draft with {rest.join(', ')}</p>;
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
  onDocument(): void;
  onDetails?: () => void;
}

function Actions({ composer, isReply, onDocument, onDetails }: ActionsProps) {
  return (
    <>
      {composer.hasJson ? null : (
        <>
          <Button look={isReply ? 'quiet' : 'secondary'} onClick={onDocument} icon={<Plus className="size-4" aria-hidden />}>
            <span className={isReply ? 'max-sm:sr-only' : ''}>Add document</span>
          </Button>
          <Button look={isReply ? 'quiet' : 'secondary'} onClick={composer.addJson} icon={<Braces className="size-4" aria-hidden />}>
            <span className={isReply ? 'max-sm:sr-only' : ''}>Add JSON</span>
          </Button>
        </>
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

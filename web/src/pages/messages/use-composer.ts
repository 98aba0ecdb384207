import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { WaybillError } from '../../api/client.ts';
import type { Envelope, Party } from '../../api/schema.ts';
import { useSend } from '../../api/send.ts';
import { type Uploads, useUploads } from '../../api/uploads.ts';
import type { EditorHandle } from '../../parts/json-editor/editor.tsx';
import { isTyping } from '../../ui/shortcuts.ts';
import { takeKeys } from '../../ui/type-ahead.ts';
import type { DocumentView } from './document-field.tsx';
import { bodyOf, type Draft, isEmpty, useDraft } from './draft.ts';
import { faultOf } from './json-field.tsx';
import type { Template } from './templates.ts';
import { type ThreadWriting, useFoldWhenLeft } from './use-writing.ts';

export interface ComposerProps {
  place: string;
  inReplyTo?: string;
  replyTo?: Party;
  writing?: ThreadWriting;
  initial?: Partial<Draft>;
  onSent(envelope: Envelope): void;
}

interface Problem {
  at?: 'to' | 'json';
  text: string;
}

const FIELDS = ['/to', '/type', '/subject', '/note', '/json', '/files'];

const isAtField = ({ code, details }: WaybillError): boolean =>
  code === 'unknown_recipient' || (details.length > 0 && details.every(({ path }) => FIELDS.includes(path)));

export interface Elements {
  form: RefObject<HTMLFormElement | null>;
  recipient: RefObject<HTMLInputElement | null>;
  note: RefObject<HTMLTextAreaElement | null>;
  editor: RefObject<EditorHandle | null>;
}

export function useComposer(props: ComposerProps, elements: Elements) {
  const { place, inReplyTo, writing, initial } = props;
  const { recipient, note } = elements;
  const stored = useDraft(place, initial);
  const { draft, change } = stored;
  const uploads = useUploads('/v1/uploads');
  /** added: somebody wants to write JSON now. */
  const [json, setJson] = useState<'none' | 'shown' | 'added'>(draft.json === '' ? 'none' : 'shown');
  /** A new version makes the editor start over. */
  const [version, setVersion] = useState(0);
  const [view, setView] = useState<DocumentView>('auto');
  const { submit, send, problem, setProblem } = useSubmit(props, elements, { ...stored, uploads, onNoJson: () => setJson('none') });
  const { error } = send;
  useFirstFocus({ isReply: inReplyTo !== undefined, draft, recipient, note, change });
  useFoldWhenLeft(writing, writing?.what === 'reply' && isEmpty(draft) && uploads.list.length === 0);
  return {
    ...{
      draft,
      change,
      uploads,
      submit,
      version,
      isBusy: send.isPending,
      hasJson: json !== 'none' || draft.json !== '',
      isJsonAdded: json === 'added',
    },
    error: error && !isAtField(error) ? error : null,
    errorAt: (name: keyof Draft | 'files') => error?.field(`/${name}`),
    recipientError:
      problem?.at === 'to' ? problem.text : (error?.field('/to') ?? (error?.code === 'unknown_recipient' ? error.message : undefined)),
    problem: problem?.at === 'to' ? undefined : problem?.text,
    setRecipient: (to: string) => {
      change({ to });
      setProblem(undefined);
      if (error) send.reset();
    },
    ...{ view, setView },
    addJson: () => {
      setView('json');
      setJson('added');
    },
    addDocument: (type: string, document: string) => {
      change({ type, json: document });
      setView('form');
      setJson('added');
    },
    removeJson: () => {
      change({ json: '' });
      setJson('none');
      note.current?.focus();
    },
    focusNote: () => note.current?.focus(),
    begin: ({ name: _name, ...fields }: Template) => {
      const to = fields.to || draft.to;
      change({ ...fields, to });
      setJson(fields.json === '' ? 'none' : 'shown');
      setView('auto');
      setVersion(version + 1);
      (to === '' ? recipient : note).current?.focus();
    },
  };
}

interface Sendable extends ReturnType<typeof useDraft> {
  uploads: Uploads;
  onNoJson(): void;
}

function useSubmit({ inReplyTo, writing, onSent }: ComposerProps, elements: Elements, sendable: Sendable) {
  const { form, note } = elements;
  const { draft, change, clear, leftOf, uploads, onNoJson } = sendable;
  const send = useSend('POST /v1/messages');
  const [problem, setProblem] = useState<Problem>();
  const problemOf = (): Problem | undefined => {
    if (inReplyTo === undefined && draft.to.trim() === '') return { at: 'to', text: 'Enter a recipient.' };
    if (faultOf(draft.json)) return { at: 'json', text: 'Fix the JSON, or remove it.' };
    if (uploads.ids === undefined) return { text: 'Wait until all files are uploaded, or remove the unfinished ones.' };
    if (isEmpty(draft) && uploads.list.length === 0) return { text: 'Add a note, JSON or a file first.' };
    return undefined;
  };
  const finish = (envelope: Envelope) => {
    const left = leftOf(draft);
    clear();
    if (!isEmpty(left)) change(left);
    for (const upload of uploads.list) uploads.remove(upload);
    const isStillTyping = isTypingIn(form.current);
    if (left.json === '') onNoJson();
    onSent(envelope);
    if (!isEmpty(left)) return;
    if (isStillTyping) note.current?.focus();
    else writing?.fold();
  };
  const submit = async () => {
    if (send.isPending) return;
    const found = problemOf();
    setProblem(found);
    if (found) focusField(elements, found.at);
    if (found !== undefined || uploads.ids === undefined) return;
    try {
      // A promise, because a callback would not be called after the thread was left. The promise then clears the draft of that thread.
      finish(await send.mutateAsync(bodyOf(draft, inReplyTo, uploads.ids)));
    } catch (failure) {
      // The mutation has the error, which is shown.
      if (!(failure instanceof WaybillError)) throw failure;
      const at = fieldOf(failure);
      if (at === 'to' || isFocusLost(elements)) focusField(elements, at);
    }
  };
  return { submit, send, problem, setProblem };
}

function fieldOf(failure: WaybillError): Problem['at'] {
  if (failure.code === 'unknown_recipient' || failure.field('/to') !== undefined) return 'to';
  return failure.field('/json') === undefined ? undefined : 'json';
}

/** After a refusal, keys are text for the field that has to change, or for the note. On the button they would be lost, or would send again. */
function focusField(elements: Elements, at: Problem['at']): void {
  const { recipient, note, editor } = elements;
  if (at === 'to') (recipient.current ?? note.current)?.focus();
  else if (at === 'json') editor.current?.focus();
  else if (isFocusLost(elements)) note.current?.focus();
}

/** Whether keys would go to no field. A button that is disabled while busy loses the focus to the body. */
function isFocusLost({ form: { current: form } }: Elements): boolean {
  const { activeElement } = document;
  return form !== null && (activeElement === document.body || (form.contains(activeElement) && !isTyping(activeElement)));
}

const isTypingIn = (form: HTMLElement | null): boolean =>
  isTyping(document.activeElement) && form?.contains(document.activeElement) === true;

interface FirstFocus extends Pick<Elements, 'recipient' | 'note'> {
  isReply: boolean;
  draft: Draft;
  change(changes: Partial<Draft>): void;
}

/** Keys typed since the shortcut that opened the page go into its first empty field. */
function useFirstFocus({ isReply, draft, recipient, note, change }: FirstFocus): void {
  const begin = useEffectEvent(() => {
    if (isReply) return;
    const isToNote = draft.to !== '';
    (isToNote ? note : recipient).current?.focus();
    const typed = takeKeys('compose');
    if (typed !== '') change(isToNote ? { note: draft.note + typed } : { to: typed.replaceAll('\n', '') });
  });
  useEffect(() => begin(), []);
}

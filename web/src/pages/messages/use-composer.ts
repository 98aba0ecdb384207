import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import type { ApiError } from '../../api/client.ts';
import type { Envelope } from '../../api/schema.ts';
import { useSend } from '../../api/send.ts';
import { useUploads } from '../../api/uploads.ts';
import { takeKeys } from '../../ui/type-ahead.ts';
import { bodyOf, type Draft, isEmpty, useDraft } from './draft.ts';
import { faultOf } from './json-field.tsx';
import type { Template } from './templates.ts';

export interface ComposerProps {
  /** The key under which the draft is stored. */
  place: string;
  /** The message to reply to; without it, a recipient must be chosen. */
  inReplyTo?: string;
  /** The handle that a reply goes to, if it goes to a business. */
  replyTo?: string | undefined;
  initial?: Partial<Draft>;
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

interface Elements {
  form: RefObject<HTMLFormElement | null>;
  recipient: RefObject<HTMLInputElement | null>;
}

/** The draft of a message, its files, and how it is sent. */
export function useComposer({ place, inReplyTo, initial = {}, onSent }: ComposerProps, { form, recipient }: Elements) {
  const isReply = inReplyTo !== undefined;
  const { draft, change, clear } = useDraft(place, initial);
  const uploads = useUploads('/v1/uploads');
  const send = useSend('POST /v1/messages');
  const [hasJson, setHasJson] = useState(draft.json !== '');
  /** Another version makes the editor start over. */
  const [version, setVersion] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const { error } = send;
  useFirstFocus({ isReply, draft, form, recipient, onTyped: (to) => change({ to }) });

  const problemOf = (): Problem | undefined => {
    if (!isReply && draft.to.trim() === '') return { at: 'to', text: 'Enter a recipient.' };
    if (faultOf(draft.json)) return { text: 'Fix the JSON, or remove it.' };
    if (uploads.ids === undefined) return { text: 'Wait until all files are uploaded, or remove the unfinished ones.' };
    if (isEmpty(draft) && uploads.list.length === 0) return { text: 'Add a note, JSON or a file first.' };
    return undefined;
  };
  const submit = () => {
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
  return {
    ...{ draft, change, uploads, submit, hasJson, version, isBusy: send.isPending },
    /** The error that no field shows. */
    error: error && !isAtField(error) ? error : null,
    errorAt: (name: keyof Draft | 'files') => error?.at(`/${name}`),
    recipientError:
      problem?.at === 'to' ? problem.text : (error?.at('/to') ?? (error?.code === 'unknown_recipient' ? error.message : undefined)),
    problem: problem?.at === undefined ? problem?.text : undefined,
    setRecipient: (to: string) => {
      change({ to });
      setProblem(undefined);
      if (error) send.reset();
    },
    addJson: () => setHasJson(true),
    removeJson: () => {
      change({ json: '' });
      setHasJson(false);
    },
    begin: ({ name: _name, ...fields }: Template) => {
      change({ ...fields, to: fields.to || draft.to });
      setHasJson(fields.json !== '');
      setVersion(version + 1);
    },
  };
}

interface FirstFocus extends Elements {
  isReply: boolean;
  draft: Draft;
  onTyped(to: string): void;
}

/** What was typed since the shortcut that opened the page belongs into its first empty field. */
function useFirstFocus({ isReply, draft, form, recipient, onTyped }: FirstFocus): void {
  const begin = useEffectEvent(() => {
    const typed = takeKeys();
    if (isReply) return;
    if (draft.to !== '') form.current?.querySelector('textarea')?.focus();
    else {
      recipient.current?.focus();
      if (typed !== '') onTyped(typed);
    }
  });
  useEffect(() => begin(), []);
}

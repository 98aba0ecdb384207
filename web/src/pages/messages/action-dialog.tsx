import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { ACKNOWLEDGEMENT_REASON_MAX_CHARS } from '../../api/limits.ts';
import { useSend } from '../../api/send.ts';
import { documentLines } from '../../documents/prefills.ts';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { type Choice, type Chosen, nounOf } from './document-choices.ts';
import { replyOf } from './document-reply.ts';
import { fullMessage, type Message, useFullMessage } from './thread-messages.ts';

interface ActionDialogProps {
  message: Message;
  choice: Choice;
  onBegin(chosen: Chosen): Promise<void>;
  onClose(): void;
}

/** Longer lists are worked on in the form of the reply. */
const LINES_SHOWN_MAX = 100;

/** Asks why, and about which lines. A rejection is sent at once, because nobody would change it; other replies begin as a draft. */
export function ActionDialog({ message, choice, onBegin, onClose }: ActionDialogProps) {
  const { action, said } = choice;
  const business = useActiveBusiness();
  const queries = useQueryClient();
  const send = useSend('POST /v1/messages');
  const isSentAtOnce = said === 'rejected' || action.acknowledge === 'rejected';
  const { data } = useFullMessage(message);
  const found = action.choosesLines ? documentLines(data?.json ?? 'null') : [];
  const lines = found.length > 1 && found.length <= LINES_SHOWN_MAX ? found : [];
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const form = useForm({
    initial: { reason: '' },
    check: ({ reason }) => ({
      ...(action.needsReason && reason.trim() === '' && { reason: 'Say why: the sender sees it.' }),
      ...(lines.length > 0 && left.size === lines.length && { reason: 'Choose at least one line.' }),
    }),
    paths: { reason: ['/reason', '/acknowledge/reason'] },
    submit: async ({ reason }) => {
      const why = reason.trim();
      const chosen: Chosen = {
        ...(why !== '' && { reason: why }),
        ...(left.size > 0 && { lines: lines.map(({ place }) => place).filter((place) => !left.has(place)) }),
      };
      if (!isSentAtOnce) return onBegin(chosen);
      const { json = 'null' } = await queries.fetchQuery(fullMessage(business, message));
      const { type, subject, json: document } = replyOf(action, json, message, chosen, business);
      const acknowledge = said === null ? {} : { acknowledge: { status: said, reason: why } };
      const fields = JSON.stringify({ in_reply_to: message.id, type, subject, ...acknowledge });
      await send.mutateAsync(`${fields.slice(0, -1)},"json":${document}}`);
      say('Sent');
      onClose();
    },
  });
  const title = `${action.label}${isSentAtOnce ? ` this ${nounOf(message.type)}` : ''}`;
  return (
    <FormDialog title={title} action={isSentAtOnce ? title : 'Continue'} form={form} onClose={onClose}>
      {lines.length === 0 ? null : (
        <fieldset className="max-h-[40vh] overflow-y-auto">
          <legend className="mb-1 font-medium">Lines</legend>
          {lines.map(({ place, id, name }) => (
            <label key={place} className="flex items-start gap-2 py-1">
              <input
                type="checkbox"
                checked={!left.has(place)}
                onChange={({ target }) =>
                  setLeft(target.checked ? new Set([...left].filter((one) => one !== place)) : new Set([...left, place]))
                }
                className="mt-1 size-4 accent-accent"
              />
              <span className="min-w-0">
                {id === undefined ? null : `${id} · `}
                <Name>{name ?? `Line ${place + 1}`}</Name>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <TextArea
        label={action.needsReason ? 'Reason' : 'Reason (optional)'}
        rows={3}
        maxLength={ACKNOWLEDGEMENT_REASON_MAX_CHARS}
        hint={isSentAtOnce ? 'The sender sees it. A rejection can’t be undone.' : 'It stands in the document.'}
        {...form.field('reason')}
      />
    </FormDialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX, Inbox } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { useThreadChanges } from '../../api/live.ts';
import { forget, useAction, useReading } from '../../api/queries.ts';
import type { Acknowledgement } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import type { Message } from './thread-messages.ts';

const OPERATION = 'GET /v1/messages/{id}/acknowledgements';
const ACKNOWLEDGE = 'POST /v1/messages/{id}/acknowledge';
const WORDS: Record<Acknowledgement['status'], string> = { accepted: 'Accepted', rejected: 'Rejected', processed: 'Processed' };

/** What the recipient has said of a message. People of the recipient can say it here. */
export function Acknowledgements({ message: { id, to } }: { message: Message }) {
  const queries = useQueryClient();
  const { data } = useReading(OPERATION, { path: { id } });
  useThreadChanges(useCallback(() => void forget(queries, OPERATION), [queries]));
  const business = useActiveBusiness();
  const isForUs = to.party.kind === 'handle' && to.party.handle === business;
  const said = data?.data;
  const handedOver = isForUs ? null : data?.handed_over;
  if (!said || (said.length === 0 && !handedOver && !isForUs)) return null;
  const latest = said.at(-1)?.status;
  return (
    <div className="flex flex-col gap-2 text-sm text-soft">
      {handedOver ? (
        <p className="flex items-start gap-1.5">
          <Inbox className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span>
            Taken by their {handedOver.way === 'webhook' ? 'webhook' : 'worker'} · <Time at={handedOver.at} />
          </span>
        </p>
      ) : null}
      {said.length > 0 ? (
        <ul aria-label="Acknowledgements" className="space-y-1">
          {said.map((one) => (
            <Said key={one.status} said={one} />
          ))}
        </ul>
      ) : null}
      {isForUs && (latest === undefined || latest === 'accepted') ? <Choices id={id} isAccepted={latest === 'accepted'} /> : null}
    </div>
  );
}

function Said({ said: { status, reason, at, actor, signing_key_id } }: { said: Acknowledgement }) {
  const Icon = status === 'rejected' ? CircleX : CircleCheck;
  return (
    <li className="flex items-start gap-1.5">
      <Icon className={`mt-0.5 size-4 shrink-0 ${status === 'rejected' ? 'text-bad' : 'text-good'}`} aria-hidden />
      <span className="min-w-0">
        <span className="text-ink">{WORDS[status]}</span> by <Name>{actor.name}</Name> · <Time at={at} />
        {signing_key_id === null ? null : ' · signed'}
        {reason === null || reason === '' ? null : (
          <bdi dir="auto" className="block break-words whitespace-pre-wrap">
            {reason}
          </bdi>
        )}
      </span>
    </li>
  );
}

function Choices({ id, isAccepted }: { id: string; isAccepted: boolean }) {
  const acknowledge = useAction(ACKNOWLEDGE, { changes: [OPERATION] });
  const [isRejecting, setRejecting] = useState(false);
  const status = isAccepted ? 'processed' : 'accepted';
  const form = useForm({
    initial: {},
    submit: async () => {
      await acknowledge.mutateAsync({ path: { id }, body: { status } });
      say(WORDS[status]);
    },
  });
  return (
    <p className="flex flex-wrap items-center gap-2">
      <Button isBusy={form.isBusy} onClick={form.submit}>
        {isAccepted ? 'Mark as processed' : 'Accept'}
      </Button>
      <Button look="quiet" onClick={() => setRejecting(true)}>
        Reject
      </Button>
      {form.error ? <span role="alert">{form.error.message}</span> : null}
      {isRejecting ? <RejectDialog id={id} onClose={() => setRejecting(false)} /> : null}
    </p>
  );
}

function RejectDialog({ id, onClose }: { id: string; onClose(): void }) {
  const acknowledge = useAction(ACKNOWLEDGE, { changes: [OPERATION] });
  const form = useForm({
    initial: { reason: '' },
    submit: async ({ reason }) => {
      await acknowledge.mutateAsync({ path: { id }, body: { status: 'rejected', reason: reason.trim() || null } });
      say('Rejected');
      onClose();
    },
  });
  return (
    <FormDialog title="Reject this message?" action="Reject message" form={form} onClose={onClose}>
      <TextArea
        label="Reason (optional)"
        rows={3}
        maxLength={1000}
        hint="The sender sees it. A rejection can’t be undone."
        {...form.field('reason')}
      />
    </FormDialog>
  );
}

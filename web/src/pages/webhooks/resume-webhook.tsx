import { useAction } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';

type Fields = { meanwhile: 'recover' | 'leave' };

const MEANWHILE = [
  { value: 'recover', label: 'Deliver them now', hint: 'Every message not delivered yet, the oldest first.' },
  { value: 'leave', label: 'Leave them in the inbox', hint: 'You can still recover them later.' },
] as const;

export function ResumeWebhook({ id, onClose }: { id: string; onClose(): void }) {
  const resume = useAction('PATCH /v1/webhooks/{id}', {
    changes: ['GET /v1/webhooks', 'GET /v1/webhooks/{id}', 'GET /v1/webhooks/{id}/recoveries'],
  });
  const form = useForm<Fields>({
    initial: { meanwhile: 'recover' },
    submit: async ({ meanwhile }) => {
      await resume.mutateAsync({ path: { id }, body: { active: true, ...(meanwhile === 'recover' && { recover: true }) } });
      say('Webhook resumed');
      onClose();
    },
  });
  return (
    <FormDialog title="Resume this webhook?" action="Resume webhook" form={form} onClose={onClose}>
      <Choice
        label="Messages received during the pause"
        options={MEANWHILE}
        value={form.fields.meanwhile}
        onChange={(meanwhile) => form.set({ meanwhile })}
      />
    </FormDialog>
  );
}

import { useAction } from '../../../api/queries.ts';
import type { View } from '../../../api/schema.ts';
import { Choice } from '../../../ui/choice.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { say } from '../../../ui/toast.tsx';
import { useForm } from '../../../ui/use-form.ts';

const OPTIONS = [
  { value: 'never', label: 'Never' },
  { value: 'hourly', label: 'Hourly', hint: 'On the hour, if there is something unread.' },
  { value: 'daily', label: 'Daily', hint: 'At 07:00 UTC, if there is something unread.' },
] as const;

export function DigestDialog({ view, onClose }: { view: View; onClose(): void }) {
  const choose = useAction('PUT /v1/views/{id}/digest', { changes: ['GET /v1/views'] });
  const form = useForm<{ frequency: View['digest'] }>({
    initial: { frequency: view.digest },
    submit: async ({ frequency }) => {
      await choose.mutateAsync({ path: { id: view.id }, body: { frequency } });
      say(frequency === 'never' ? 'No mails about this view' : `Mails about this view come ${frequency}`);
      onClose();
    },
  });
  return (
    <FormDialog title="Mails about this view" action="Save" form={form} onClose={onClose}>
      <Choice
        label="Mail me about new messages in its threads"
        options={OPTIONS}
        value={form.fields.frequency}
        onChange={(frequency) => form.set({ frequency })}
      />
      <p className="text-sm text-soft">Mails say how many threads, never what was written.</p>
    </FormDialog>
  );
}

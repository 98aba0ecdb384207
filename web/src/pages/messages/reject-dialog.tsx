import { ACKNOWLEDGEMENT_REASON_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { ACKNOWLEDGE, ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';

export function RejectDialog({ id, onClose }: { id: string; onClose(): void }) {
  const acknowledge = useAction(ACKNOWLEDGE, { changes: [ACKNOWLEDGEMENTS] });
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
        maxLength={ACKNOWLEDGEMENT_REASON_MAX_CHARS}
        hint="The sender sees it. A rejection can’t be undone."
        {...form.field('reason')}
      />
    </FormDialog>
  );
}

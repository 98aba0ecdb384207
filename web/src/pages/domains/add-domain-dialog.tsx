import { useAction } from '../../api/queries.ts';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useForm } from '../../ui/use-form.ts';

export function AddDomainDialog({ onClose }: { onClose(): void }) {
  const add = useAction('POST /v1/domains', { changes: ['GET /v1/domains'] });
  const form = useForm({
    initial: { domain: '' },
    submit: async ({ domain }) => {
      await add.mutateAsync({ body: { domain: domain.trim() } });
      onClose();
    },
  });
  return (
    <FormDialog title="Add domain" action="Add domain" form={form} onClose={onClose}>
      <TextField
        label="Domain"
        placeholder="example.com"
        inputMode="url"
        {...VERBATIM}
        hint="The part after the @ in your email addresses. Next, you get a TXT record to add to its DNS."
        {...form.field('domain')}
      />
    </FormDialog>
  );
}

import { CONTACT_LABEL_MAX_CHARS, CONTACT_NOTES_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import { TextArea, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { partyIn, useContactLists } from './contact-list.ts';

export function AddContactDialog({ onClose }: { onClose(): void }) {
  const save = useAction('POST /v1/contacts');
  const lists = useContactLists();
  const form = useForm({
    initial: { who: '', label: '', notes: '' },
    codes: { not_found: 'who' },
    paths: { who: ['/handle', '/domain', '/email', ''] },
    check: ({ who }) => (who.trim() === '' ? { who: 'Enter a handle, a domain or an email address.' } : {}),
    submit: async ({ who, label, notes }) => {
      await save.mutateAsync({ body: { ...partyIn(who), label: label.trim(), notes } });
      await lists.reload();
      say('Contact saved');
      onClose();
    },
  });
  return (
    <FormDialog title="Add contact" action="Save contact" form={form} onClose={onClose}>
      <TextField
        label="Handle, domain or email address"
        placeholder="globex"
        {...VERBATIM}
        hint="The handle of a business, the domain of an organisation without a handle, or a private email address."
        {...form.field('who')}
      />
      <TextField label="Label (optional)" placeholder="Our supplier" maxLength={CONTACT_LABEL_MAX_CHARS} {...form.field('label')} />
      <TextArea label="Notes (optional)" rows={3} maxLength={CONTACT_NOTES_MAX_CHARS} {...form.field('notes')} />
    </FormDialog>
  );
}

import { CONTACT_LABEL_MAX_CHARS, CONTACT_NOTES_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import type { Contact } from '../../api/schema.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { nameOf, useContactLists } from './contact-list.ts';

export function ContactNotes({ contact }: { contact: Contact }) {
  const { id, party } = contact;
  const save = useAction('POST /v1/contacts');
  const change = useAction('PATCH /v1/contacts/{id}');
  const lists = useContactLists();
  const form = useForm({
    initial: { label: contact.label, notes: contact.notes },
    submit: async ({ label, notes }) => {
      const own = { label: label.trim(), notes };
      const saved =
        id === null
          ? await save.mutateAsync({ body: { ...nameOf(party), ...own } })
          : await change.mutateAsync({ path: { id }, body: own });
      lists.update(saved);
      say('Contact saved');
    },
  });
  return (
    <Form form={form} className="flex max-w-xl flex-col items-start gap-4">
      <div className="w-full space-y-4">
        <TextField
          label="Label"
          placeholder="Our supplier"
          hint="Your name for this contact. Only your business sees it."
          maxLength={CONTACT_LABEL_MAX_CHARS}
          {...form.field('label')}
        />
        <TextArea label="Notes" rows={4} maxLength={CONTACT_NOTES_MAX_CHARS} {...form.field('notes')} />
      </div>
      <SubmitButton form={form}>Save</SubmitButton>
    </Form>
  );
}

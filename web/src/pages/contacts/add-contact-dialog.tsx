import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { TextArea, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { type PartyName, useContactLists } from './contact-list.ts';

const FIELDS = ['', '/handle', '/domain', '/email', '/label', '/notes'];

export function AddContactDialog({ onClose }: { onClose(): void }) {
  const [who, setWho] = useState('');
  const [label, setLabel] = useState('');
  const [notes, setNotes] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const save = useAction('POST /v1/contacts');
  const lists = useContactLists();
  const { error } = save;

  const submit = () => {
    setEmpty(who.trim() === '');
    if (who.trim() === '') return;
    save.mutate(
      { body: { ...partyIn(who), label: label.trim(), notes } },
      {
        onSuccess: async () => {
          await lists.anew();
          say('The contact is saved.');
          onClose();
        },
      },
    );
  };

  return (
    <FormDialog
      title="Add a contact"
      action="Save contact"
      isBusy={save.isPending}
      error={error?.code === 'not_found' ? null : error}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Handle, domain or e-mail address"
        placeholder="globex"
        value={who}
        onChange={({ target }) => setWho(target.value)}
        {...VERBATIM}
        error={
          isEmpty
            ? 'Say who it is.'
            : error?.code === 'not_found'
              ? error.message
              : (error?.at('/handle') ?? error?.at('/domain') ?? error?.at('/email') ?? error?.at(''))
        }
        hint="The handle of a business, the domain of an organisation without one, or a private mailbox."
      />
      <TextField
        label="Label (optional)"
        placeholder="Our supplier"
        value={label}
        onChange={({ target }) => setLabel(target.value)}
        maxLength={200}
        error={error?.at('/label')}
      />
      <TextArea
        label="Notes (optional)"
        rows={3}
        value={notes}
        onChange={({ target }) => setNotes(target.value)}
        maxLength={10_000}
        error={error?.at('/notes')}
      />
    </FormDialog>
  );
}

/** Which of the three was meant: addresses have an @ inside, domains a dot, handles neither. */
function partyIn(text: string): PartyName {
  const name = text.trim().replace(/^@/, '');
  if (name.includes('@')) return { email: name };
  return name.includes('.') ? { domain: name } : { handle: name };
}

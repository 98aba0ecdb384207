import { ContactRound, Plus } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { Party } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { useDebouncedValue } from '../../ui/debounce.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { AddContactDialog } from './add-contact-dialog.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import { type Shown, useContacts } from './contact-list.ts';
import { ContactRows } from './contact-rows.tsx';

const TYPING_MS = 250;

export function ContactsPage() {
  const [typed, setTyped] = useState('');
  const [shown, setShown] = useState<Shown>('all');
  const q = useDebouncedValue(typed.trim(), TYPING_MS);
  const list = useContacts(q, shown);
  const [isAdding, setAdding] = useState(false);
  const [opened, setOpened] = useState<Party>();
  const searchField = useRef<HTMLInputElement>(null);
  useShortcuts(useMemo(() => ({ '/': () => searchField.current?.focus() }), []));

  return (
    <>
      <PageHeader
        title="Contacts"
        actions={
          <Button look="primary" onClick={() => setAdding(true)} icon={<Plus className="size-4" aria-hidden />}>
            Add a contact
          </Button>
        }
      >
        Everybody you have exchanged messages with, and those that you have saved.
      </PageHeader>
      <search className="mb-3 flex gap-2">
        <div className="max-w-sm grow">
          <TextField
            ref={searchField}
            label="Find a contact"
            isBare
            type="search"
            placeholder="Name, handle, domain, address or label"
            maxLength={200}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <Select label="Which" isBare value={shown} onChange={({ target }) => setShown(target.value as Shown)} className="w-auto">
          <option value="all">All</option>
          <option value="saved">Saved</option>
          <option value="archived">Archived</option>
        </Select>
      </search>
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={8} label="Loading contacts" />
      ) : list.items.length > 0 ? (
        <ContactRows list={list} onOpen={setOpened} />
      ) : q !== '' ? (
        <Empty title="No contact fits">
          <Button className="mt-3" onClick={() => setTyped('')}>
            Clear the search
          </Button>
        </Empty>
      ) : shown === 'archived' ? (
        <Empty title="Nothing is archived">Saved contacts that you archive are kept here.</Empty>
      ) : (
        <Empty icon={<ContactRound className="size-6" aria-hidden />} title={shown === 'saved' ? 'No contact is saved' : 'No contacts yet'}>
          <p>Whoever you exchange messages with appears here by itself. You can also add somebody before the first message.</p>
          <Button look="primary" className="mt-4" onClick={() => setAdding(true)}>
            Add a contact
          </Button>
        </Empty>
      )}
      {isAdding ? <AddContactDialog onClose={() => setAdding(false)} /> : null}
      {opened ? <ContactDialog party={opened} onClose={() => setOpened(undefined)} /> : null}
    </>
  );
}

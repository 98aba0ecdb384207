import { ContactRound, Plus } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CONTACT_QUERY_MAX_CHARS } from '../../api/limits.ts';
import { Button } from '../../ui/button.tsx';
import { useDebouncedValue } from '../../ui/debounce.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { AddContactDialog } from './add-contact-dialog.tsx';
import { ORDERS, type Order, SHOWN, type Shown, useContacts } from './contact-list.ts';
import { ContactRows } from './contact-rows.tsx';

const TYPING_MS = 250;

export function ContactsPage() {
  const [typed, setTyped] = useState('');
  const [shown, setShown] = useState<Shown>('all');
  const q = useDebouncedValue(typed.trim(), TYPING_MS);
  const [order, setOrder] = useState<Order>('activity');
  const list = useContacts(q, shown, order);
  // An empty page need not be the last one.
  const { hasMore, isFetchingMore, more } = list;
  const isLooking = list.items.length === 0 && hasMore;
  useEffect(() => {
    if (isLooking && !isFetchingMore) more();
  }, [isLooking, isFetchingMore, more]);
  const [isAdding, setAdding] = useState(false);
  const searchField = useRef<HTMLInputElement>(null);
  useShortcuts(useMemo(() => ({ '/': () => searchField.current?.focus() }), []));

  return (
    <>
      <PageHeader
        title="Contacts"
        actions={
          <Button look="primary" onClick={() => setAdding(true)} icon={<Plus className="size-4" aria-hidden />}>
            Add contact
          </Button>
        }
      >
        Everyone you exchanged messages with, and contacts you added.
      </PageHeader>
      <search className="mb-3 flex flex-wrap gap-2">
        <div className="grow sm:max-w-sm max-sm:w-full">
          <TextField
            ref={searchField}
            label="Search contacts"
            isBare
            type="search"
            placeholder="Name, handle, domain, email or label"
            maxLength={CONTACT_QUERY_MAX_CHARS}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <Select
          label="Show"
          isBare
          value={shown}
          onChange={({ target }) => setShown(SHOWN.find((each) => each === target.value) ?? 'all')}
          className="w-auto"
        >
          <option value="all">All</option>
          <option value="saved">Saved</option>
          <option value="archived">Archived</option>
        </Select>
        <Select
          label="Sort by"
          isBare
          value={order}
          onChange={({ target }) => setOrder(ORDERS.find((each) => each === target.value) ?? 'activity')}
          className="w-auto"
        >
          <option value="activity">Last activity</option>
          <option value="name">Name</option>
          <option value="added">Newest contact</option>
        </Select>
      </search>
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending || isLooking ? (
        <Loading rows={8} label="Loading contacts" />
      ) : list.items.length > 0 ? (
        <ContactRows list={list} />
      ) : q !== '' ? (
        <Empty title="No results">
          <Button className="mt-3" onClick={() => setTyped('')}>
            Clear search
          </Button>
        </Empty>
      ) : shown === 'archived' ? (
        <Empty title="No archived contacts">Contacts that you archive are listed here.</Empty>
      ) : (
        <Empty icon={<ContactRound className="size-6" aria-hidden />} title={shown === 'saved' ? 'No saved contacts' : 'No contacts yet'}>
          <p>Contacts appear here after the first message. You can also add one before that.</p>
          <Button look="primary" className="mt-4" onClick={() => setAdding(true)}>
            Add contact
          </Button>
        </Empty>
      )}
      {isAdding ? <AddContactDialog onClose={() => setAdding(false)} /> : null}
    </>
  );
}

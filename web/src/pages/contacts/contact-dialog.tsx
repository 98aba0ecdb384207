import { useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import type { Contact, Party } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { DialogForm, SubmitButton } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf, Badge, CopyButton, Fact, Facts, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { BlockContact } from './block-contact.tsx';
import { nameOf, useContactLists } from './contact-list.ts';

/** What is known about a party, with a label and notes to edit. */
export function ContactDialog({ party, onClose }: { party: Party; onClose(): void }) {
  const contact = useReading('GET /v1/contacts/by-party', { query: nameOf(party) });
  // A stale response must not be edited and saved.
  const isStale = contact.isFetching && !contact.isFetchedAfterMount;
  const [isBlocking, setBlocking] = useState(false);
  if (isBlocking) return <BlockContact party={party} isBlocked={contact.data?.blocked ?? false} onClose={onClose} />;
  return (
    <Dialog title={party.display_name} onClose={onClose}>
      <States of={isStale ? { ...contact, data: undefined } : contact}>
        {(known) => (
          <>
            <Activity contact={known} />
            <ContactForm contact={known} onBlock={() => setBlocking(true)} onClose={onClose} />
          </>
        )}
      </States>
    </Dialog>
  );
}

function Activity({ contact: { party, activity, can_initiate, blocked } }: { contact: Contact }) {
  const address = addressOf(party).replace(/^@/, '');
  return (
    <div className="mb-5">
      <Facts>
        <Fact name="Address">
          <span className="-my-1.5 flex items-center gap-1">
            <span className="min-w-0 break-all">{addressOf(party)}</span>
            <CopyButton text={address} label="Copy address" isIcon />
            {blocked ? <Badge tone="bad">Blocked</Badge> : null}
          </span>
          {can_initiate ? null : <p className="text-sm text-soft">Has no handle. You can reply, but not write first.</p>}
        </Fact>
        <Fact name="Messages">
          {activity.messages_in.toLocaleString('en')} received, {activity.messages_out.toLocaleString('en')} sent
        </Fact>
        {activity.last_seen_at !== null && activity.first_seen_at !== null ? (
          <Fact name="Seen">
            Last <Time at={activity.last_seen_at} />, first <Time at={activity.first_seen_at} />
          </Fact>
        ) : null}
        {activity.types.length > 0 ? (
          <Fact name="Types">
            <span className="flex max-h-20 flex-wrap gap-1.5 overflow-hidden">
              {activity.types.map((type) => (
                <Badge key={type}>
                  <Name className="max-w-48 truncate">{type}</Name>
                </Badge>
              ))}
            </span>
          </Fact>
        ) : null}
        {activity.actors.length > 0 ? (
          <Fact name="Senders">
            <Name className="line-clamp-3">
              {activity.actors.map(({ name, email }) => (email === null ? name : `${name} (${email})`)).join(', ')}
            </Name>
          </Fact>
        ) : null}
      </Facts>
    </div>
  );
}

function ContactForm({ contact, onBlock, onClose }: { contact: Contact; onBlock(): void; onClose(): void }) {
  const { id, party, can_initiate } = contact;
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
      onClose();
    },
  });
  return (
    <DialogForm
      form={form}
      actions={
        <>
          <div className="mr-auto flex gap-1">
            {id === null ? null : <ArchiveButton id={id} isArchived={contact.archived} onClose={onClose} />}
            <Button look="quiet" onClick={onBlock}>
              {contact.blocked ? 'Unblock' : 'Block'}
            </Button>
          </div>
          {can_initiate ? (
            <ButtonLink to="/compose" search={{ to: addressOf(party).replace(/^@/, '') }}>
              Write
            </ButtonLink>
          ) : null}
          <SubmitButton form={form}>Save</SubmitButton>
        </>
      }
    >
      <TextField
        label="Label"
        placeholder="Our supplier"
        hint="Your name for this contact. Only your business sees it."
        maxLength={200}
        {...form.field('label')}
      />
      <TextArea label="Notes" rows={3} maxLength={10_000} {...form.field('notes')} />
    </DialogForm>
  );
}

function ArchiveButton({ id, isArchived, onClose }: { id: string; isArchived: boolean; onClose(): void }) {
  const archive = useAction('PATCH /v1/contacts/{id}');
  const lists = useContactLists();
  const { isBusy, error, run } = useTask();
  const toggle = async () => {
    await archive.mutateAsync({ path: { id }, body: { archived: !isArchived } });
    await lists.reload();
    say(isArchived ? 'Contact restored' : 'Contact archived');
    onClose();
  };
  return (
    <>
      {error ? <ErrorNote error={error} /> : null}
      <Button look="quiet" onClick={() => void run(toggle)} isBusy={isBusy}>
        {isArchived ? 'Restore' : 'Archive'}
      </Button>
    </>
  );
}

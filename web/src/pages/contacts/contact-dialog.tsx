import { useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import type { Contact, Party } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf, Badge, CopyButton, Fact, Facts, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { BlockContact } from './block-contact.tsx';
import { nameOf, useContactLists } from './contact-list.ts';

/** All that is known about a party, with what can be written beside it. */
export function ContactDialog({ party, onClose }: { party: Party; onClose(): void }) {
  const contact = useReading('GET /v1/contacts/by-party', { query: nameOf(party) });
  // What was read a while ago must not be written back.
  const isOld = contact.isFetching && !contact.isFetchedAfterMount;
  const [isBlocking, setBlocking] = useState(false);
  if (isBlocking) return <BlockContact party={party} isBlocked={contact.data?.blocked ?? false} onClose={onClose} />;
  return (
    <Dialog title={party.display_name} onClose={onClose}>
      <States of={isOld ? { ...contact, data: undefined } : contact}>
        {(known) => (
          <>
            <Activity contact={known} />
            <OwnWords contact={known} onBlock={() => setBlocking(true)} onClose={onClose} />
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
            <CopyButton text={address} label="Copy the address" isIcon />
            {blocked ? <Badge tone="bad">Blocked</Badge> : null}
          </span>
          {can_initiate ? null : <p className="text-sm text-soft">Has no handle: you can reply, but not write first.</p>}
        </Fact>
        <Fact name="Messages">
          {activity.messages_in} received, {activity.messages_out} sent
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
          <Fact name="Wrote to you">
            <Name className="line-clamp-3">
              {activity.actors.map(({ name, email }) => (email === null ? name : `${name} (${email})`)).join(', ')}
            </Name>
          </Fact>
        ) : null}
      </Facts>
    </div>
  );
}

function OwnWords({ contact, onBlock, onClose }: { contact: Contact; onBlock(): void; onClose(): void }) {
  const { id, party, archived, can_initiate } = contact;
  const [label, setLabel] = useState(contact.label);
  const [notes, setNotes] = useState(contact.notes);
  const save = useAction('POST /v1/contacts');
  const change = useAction('PATCH /v1/contacts/{id}');
  const archive = useAction('PATCH /v1/contacts/{id}');
  const lists = useContactLists();
  const error = save.error ?? change.error ?? archive.error;

  const submit = () => {
    const words = { label: label.trim(), notes };
    const done = {
      onSuccess: (saved: Contact) => {
        lists.changed(saved);
        say('The contact is saved.');
        onClose();
      },
    };
    if (id === null) save.mutate({ body: { ...nameOf(party), ...words } }, done);
    else change.mutate({ path: { id }, body: words }, done);
  };
  const turnArchived = (to: boolean, savedId: string) =>
    archive.mutate(
      { path: { id: savedId }, body: { archived: to } },
      {
        onSuccess: async () => {
          await lists.anew();
          say(to ? 'The contact is archived.' : 'The contact is back.');
          onClose();
        },
      },
    );

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="flex flex-col gap-4">
        <TextField
          label="Label"
          placeholder="Our supplier"
          hint="What you call it. Only your business sees this."
          value={label}
          onChange={({ target }) => setLabel(target.value)}
          maxLength={200}
          error={error?.at('/label')}
        />
        <TextArea
          label="Notes"
          rows={3}
          value={notes}
          onChange={({ target }) => setNotes(target.value)}
          maxLength={10_000}
          error={error?.at('/notes')}
        />
      </div>
      {error ? <ErrorNote error={error} /> : null}
      <DialogActions>
        <div className="mr-auto flex gap-1">
          {id === null ? null : (
            <Button look="quiet" onClick={() => turnArchived(!archived, id)} isBusy={archive.isPending}>
              {archived ? 'Take out of the archive' : 'Archive'}
            </Button>
          )}
          <Button look="quiet" onClick={onBlock}>
            {contact.blocked ? 'Unblock' : 'Block'}
          </Button>
        </div>
        {can_initiate ? (
          <ButtonLink to="/compose" search={{ to: addressOf(party).replace(/^@/, '') }}>
            Write
          </ButtonLink>
        ) : null}
        <Button type="submit" look="primary" isBusy={save.isPending || change.isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}

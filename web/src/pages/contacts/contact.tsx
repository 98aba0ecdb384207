import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, SquarePen } from 'lucide-react';
import { useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import type { Contact } from '../../api/schema.ts';
import { formatted } from '../../json/formatted.ts';
import { HighlightedJson } from '../../parts/highlighted-json.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { PageHeader, Section } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { BlockContact } from './block-contact.tsx';
import { ContactFacts } from './contact-facts.tsx';
import { addressIn, partyIn, useContactLists } from './contact-list.ts';
import { ContactNotes } from './contact-notes.tsx';
import { ContactThreads } from './contact-threads.tsx';
import { useSchemaOf } from './schema-of.ts';

export function ContactPage() {
  const { address } = useParams({ from: '/app/contacts/$address' });
  const contact = useReading('GET /v1/contacts/by-party', { query: partyIn(address) });
  // A stale response must not be edited and saved.
  const isStale = contact.isFetching && !contact.isFetchedAfterMount;
  return (
    <>
      <Link to="/contacts" className="mb-2 inline-flex items-center gap-1 rounded text-sm text-soft hover:text-ink">
        <ChevronLeft className="size-4" aria-hidden />
        Contacts
      </Link>
      {contact.data && !isStale ? null : <PageHeader title="Contact" />}
      <States of={isStale ? { ...contact, data: undefined } : contact}>
        {(known) => <Shown key={addressIn(known.party)} contact={known} />}
      </States>
    </>
  );
}

function Shown({ contact }: { contact: Contact }) {
  const { id, party, label, archived, blocked, can_initiate } = contact;
  const [isBlocking, setBlocking] = useState(false);
  const address = addressIn(party);
  return (
    <>
      <PageHeader
        title={label || party.display_name}
        actions={
          <>
            {can_initiate ? (
              <ButtonLink to="/compose" search={{ to: address }} look="primary" icon={<SquarePen className="size-4" aria-hidden />}>
                Write
              </ButtonLink>
            ) : null}
            {id === null ? null : <ArchiveButton id={id} isArchived={archived} />}
            <Button onClick={() => setBlocking(true)}>{blocked ? 'Unblock' : 'Block'}</Button>
          </>
        }
      >
        {label === '' ? undefined : <Name>{party.display_name}</Name>}
      </PageHeader>
      <div className="grid grid-cols-1 gap-x-10 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div>
          <Section title="Threads">
            <ContactThreads address={address} />
          </Section>
          {party.kind === 'handle' ? <PublishedSchema handle={party.handle} /> : null}
        </div>
        <div className="max-xl:mt-10">
          <Section title="Activity">
            <ContactFacts contact={contact} />
          </Section>
          <Section title="Notes">
            <ContactNotes contact={contact} />
          </Section>
        </div>
      </div>
      {isBlocking ? <BlockContact party={party} isBlocked={blocked} onClose={() => setBlocking(false)} /> : null}
    </>
  );
}

function ArchiveButton({ id, isArchived }: { id: string; isArchived: boolean }) {
  const archive = useAction('PATCH /v1/contacts/{id}');
  const lists = useContactLists();
  const { isBusy, error, run } = useTask();
  const toggle = async () => {
    await archive.mutateAsync({ path: { id }, body: { archived: !isArchived } });
    await lists.reload();
    say(isArchived ? 'Contact restored' : 'Contact archived');
  };
  return (
    <>
      {error ? <ErrorNote error={error} /> : null}
      <Button onClick={() => void run(toggle)} isBusy={isBusy}>
        {isArchived ? 'Restore' : 'Archive'}
      </Button>
    </>
  );
}

function PublishedSchema({ handle }: { handle: string }) {
  const { data } = useSchemaOf(handle);
  if (!data) return null;
  return (
    <Section title="Schema">
      <p className="mb-3 text-sm text-soft">What @{handle} expects in the JSON of a message.</p>
      <HighlightedJson text={formatted(data)} label="Schema" />
    </Section>
  );
}

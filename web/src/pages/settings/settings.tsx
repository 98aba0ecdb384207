import { type FormEvent, useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Me } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Switch, TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable, PageHeader, Section } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { ThisBrowser } from './this-browser.tsx';

export function SettingsPage() {
  const me = useReading('GET /v1/me', {});
  const { role, isAdmin } = useRole();
  return (
    <>
      <PageHeader title="Settings">
        {role === 'member' ? 'Admins and owners change what concerns the whole business.' : undefined}
      </PageHeader>
      <States of={me} rows={4}>
        {({ business, addresses }) => (
          <>
            <Section title="Business">
              {isAdmin ? (
                <NameForm key={business.handle} name={business.display_name} />
              ) : (
                <p>
                  <Name className="font-medium">{business.display_name}</Name> <span className="text-soft">@{business.handle}</span>
                </p>
              )}
            </Section>
            <Section title="Addresses">
              <Addresses business={business} addresses={addresses} isAdmin={isAdmin} />
            </Section>
            <Section title="Receipts">
              <Receipts isAdmin={isAdmin} />
            </Section>
            <ThisBrowser />
            <Section title="First steps" actions={<ButtonLink to="/welcome">Show first steps</ButtonLink>}>
              <p className="text-soft">Send a message to try it out, make a key, and do the same from a program.</p>
            </Section>
          </>
        )}
      </States>
    </>
  );
}

const CHANGES = ['GET /v1/me', 'GET /v1/account', 'GET /v1/business'] as const;

function NameForm({ name }: { name: string }) {
  const [value, setValue] = useState(name);
  const change = useAction('PATCH /v1/business', { changes: [...CHANGES] });
  const wrong = change.error?.at('/display_name');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ body: { display_name: value.trim() } }, { onSuccess: () => say('Name saved') });
  };
  return (
    <form onSubmit={onSubmit} className="max-w-md">
      <div className="flex items-end gap-2">
        <div className="grow">
          <TextField label="Name" required maxLength={100} value={value} onChange={({ target }) => setValue(target.value)} />
        </div>
        <Button type="submit" isBusy={change.isPending} disabled={value.trim() === name}>
          Save
        </Button>
      </div>
      <p className="mt-1.5 text-sm text-soft">Messages from now on carry it. Receipts keep the name of their time.</p>
      {wrong !== undefined ? (
        <p role="alert" className="mt-1 text-sm text-bad">
          It {wrong}.
        </p>
      ) : change.error ? (
        <ErrorNote error={change.error} />
      ) : null}
    </form>
  );
}

function Receipts({ isAdmin }: { isAdmin: boolean }) {
  const business = useReading('GET /v1/business', {});
  const change = useAction('PATCH /v1/business', { changes: [...CHANGES] });
  return (
    <States of={business} rows={1}>
      {({ receipts }) => {
        const isMinimal = (change.isPending ? change.variables.body.receipts : receipts) === 'minimal';
        return (
          <div className="max-w-xl space-y-5">
            <Switch
              label="Minimal receipts"
              hint={
                isMinimal
                  ? 'Everybody with the link of a receipt sees both parties, the time and the hashes of what you sent, and nothing else.'
                  : 'Everybody with the link of a receipt sees who sent the message, type, subject, note, file names and the result of the schema check, but not the JSON or what is in the files.'
              }
              checked={isMinimal}
              disabled={!isAdmin || change.isPending}
              onChange={({ target }) => change.mutate({ body: { receipts: target.checked ? 'minimal' : 'full' } })}
            />
            <p className="text-sm text-soft">This holds at once for everything you have sent. It can’t take back what somebody has seen.</p>
            {change.error ? <ErrorNote error={change.error} /> : null}
          </div>
        );
      }}
    </States>
  );
}

type AddressesProps = Pick<Me, 'business' | 'addresses'> & { isAdmin: boolean };

function Addresses({ business, addresses, isAdmin }: AddressesProps) {
  const change = useAction('PATCH /v1/business', { changes: [...CHANGES] });
  const isOpen = change.isPending ? change.variables.body.accepting_drops : business.accepting_drops;
  return (
    <div className="max-w-xl space-y-5">
      <div>
        <p className="mb-1.5 text-sm font-medium">Page for people without a handle</p>
        <Copyable text={addresses.drop_page} label="address of the page" />
      </div>
      <div>
        <p className="mb-1.5 text-sm font-medium">Mail address</p>
        <Copyable text={addresses.email} label="mail address" />
      </div>
      <Switch
        label="Anybody can write in"
        hint={
          isOpen
            ? 'Whoever has proved a mailbox can write to you there, without a handle.'
            : 'Closed: of people without a handle, only those whom you have answered can write to you.'
        }
        checked={isOpen}
        disabled={!isAdmin || change.isPending}
        onChange={({ target }) => change.mutate({ body: { accepting_drops: target.checked } })}
      />
      {change.error ? <ErrorNote error={change.error} /> : null}
    </div>
  );
}

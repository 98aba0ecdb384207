import { LogOut } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useSignOut } from '../../api/auth.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { Account } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Fact, Facts, PageHeader, Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';
import { providerName } from './words.ts';

export function AccountPage() {
  const account = useReading('GET /v1/account', {});
  const { signOut, isBusy, error } = useSignOut();
  return (
    <>
      <PageHeader
        title="Account"
        actions={
          <Button isBusy={isBusy} onClick={signOut} icon={<LogOut className="size-4" aria-hidden />}>
            Sign out
          </Button>
        }
      >
        Who you are here, whatever business you act for.
      </PageHeader>
      {error ? <ErrorNote error={error} /> : null}
      <States of={account} rows={2}>
        {(data) => (
          <>
            <Section title="You">
              <NameForm name={data.name} />
              <Mailbox account={data} />
            </Section>
            <Passkeys />
            <Sessions />
          </>
        )}
      </States>
    </>
  );
}

function NameForm({ name }: { name: string }) {
  const [value, setValue] = useState(name);
  const rename = useAction('PATCH /v1/account', { changes: ['GET /v1/account', 'GET /v1/members'] });
  const wrong = rename.error?.at('/name');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate(
      { body: { name: value } },
      {
        onSuccess: (account) => {
          setValue(account.name);
          say('Name saved');
        },
      },
    );
  };
  return (
    <form onSubmit={onSubmit} className="mb-6 max-w-md">
      <div className="flex items-end gap-2">
        <div className="grow">
          <TextField
            label="Name"
            autoComplete="name"
            required
            maxLength={100}
            value={value}
            onChange={({ target }) => setValue(target.value)}
          />
        </div>
        <Button type="submit" isBusy={rename.isPending} disabled={value === name}>
          Save
        </Button>
      </div>
      <p className="mt-1.5 text-sm text-soft">Whoever you write to sees it beside the name of your business.</p>
      {wrong !== undefined ? (
        <p role="alert" className="mt-1 text-sm text-bad">
          It {wrong}.
        </p>
      ) : rename.error ? (
        <ErrorNote error={rename.error} />
      ) : null}
    </form>
  );
}

function Mailbox({ account: { email, provider, proves, created_at } }: { account: Account }) {
  return (
    <Facts>
      <Fact name="Mailbox">
        {email === null ? <span className="text-soft">none that you have shown to be yours</span> : <Name>{email}</Name>}
      </Fact>
      <Fact name="Signed in">
        with {providerName(provider)}, which shows {SHOWS[proves]}
      </Fact>
      <Fact name="Here since">
        <Time at={created_at} />
      </Fact>
    </Facts>
  );
}

const SHOWS: Record<Account['proves'], string> = {
  mailbox: 'that mails to it reach you',
  domain: 'that its domain vouches for you',
  nothing: 'nothing about a mailbox. To show one, sign in with a code that is mailed to it',
};

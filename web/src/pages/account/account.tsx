import { LogOut } from 'lucide-react';
import { useSignOut } from '../../api/auth.ts';
import { PERSON_NAME_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { Account } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { Fact, Facts, PageHeader, Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { NotificationMails } from './notification-mails.tsx';
import { Passkeys } from './passkeys.tsx';
import { providerName } from './session-names.ts';
import { Sessions } from './sessions.tsx';

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
        Your profile and sign-in, across all your businesses.
      </PageHeader>
      {error ? <ErrorNote error={error} /> : null}
      <States of={account} rows={2}>
        {(data) => (
          <>
            <Section title="Profile">
              <NameForm name={data.name} />
              <Mailbox account={data} />
            </Section>
            <NotificationMails account={data} />
            <Passkeys />
            <Sessions />
          </>
        )}
      </States>
    </>
  );
}

function NameForm({ name }: { name: string }) {
  const rename = useAction('PATCH /v1/account', { changes: ['GET /v1/account', 'GET /v1/members'] });
  const form = useForm({
    initial: { name },
    submit: async (body) => {
      form.set({ name: (await rename.mutateAsync({ body })).name });
      say('Name saved');
    },
  });
  return (
    <Form form={form} className="mb-6 max-w-md">
      <div className="flex items-end gap-2">
        <div className="grow">
          <TextField label="Name" autoComplete="name" required maxLength={PERSON_NAME_MAX_CHARS} {...form.field('name')} />
        </div>
        <Button type="submit" isBusy={form.isBusy} disabled={form.fields.name === name}>
          Save
        </Button>
      </div>
      <p className="mt-1.5 text-sm text-soft">Shown next to the name of your business in messages you send.</p>
    </Form>
  );
}

function Mailbox({ account: { email, provider, proves, created_at } }: { account: Account }) {
  return (
    <Facts>
      <Fact name="Email">{email === null ? <span className="text-soft">Not verified</span> : <Name>{email}</Name>}</Fact>
      <Fact name="Signed in with">
        {providerName(provider)} <span className="text-soft">({VERIFIES[proves]})</span>
      </Fact>
      <Fact name="Joined">
        <Time at={created_at} />
      </Fact>
    </Facts>
  );
}

const VERIFIES: Record<Account['proves'], string> = {
  mailbox: 'verifies your email address',
  domain: 'verifies your email address and its domain',
  nothing: 'does not verify an email address; sign in with an email code to verify one',
};

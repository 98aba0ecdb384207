import { DISPLAY_NAME_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Me } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Switch, TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable, PageHeader, Section } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { AgentCard } from './agent-card.tsx';
import { DropPageSettings } from './drop-page-settings.tsx';
import { ThisBrowser } from './this-browser.tsx';

export function SettingsPage() {
  const me = useReading('GET /v1/me', {});
  const { role, isAdmin } = useRole();
  return (
    <>
      <PageHeader title="Settings">
        {role === 'member' ? 'Only admins and owners can change the settings of the business.' : undefined}
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
            <Section title="Drop page">
              {/* As high as the loaded form, so that nothing moves. */}
              <div className={isAdmin ? 'min-h-94' : 'min-h-40'}>
                <DropPageSettings key={business.handle} name={business.display_name} isAdmin={isAdmin} />
              </div>
            </Section>
            <Section title="Receipts">
              <Receipts isAdmin={isAdmin} />
            </Section>
            <Section title="Agent card">
              <AgentCard isAdmin={isAdmin} />
            </Section>
            <ThisBrowser />
            <Section title="First steps" actions={<ButtonLink to="/welcome">Show first steps</ButtonLink>}>
              <p className="text-soft">Send a first message, create a key and send from a program.</p>
            </Section>
          </>
        )}
      </States>
    </>
  );
}

const CHANGES = ['GET /v1/me', 'GET /v1/account', 'GET /v1/business'] as const;

function NameForm({ name }: { name: string }) {
  const change = useAction('PATCH /v1/business', { changes: [...CHANGES] });
  const form = useForm({
    initial: { display_name: name },
    submit: async ({ display_name }) => {
      await change.mutateAsync({ body: { display_name: display_name.trim() } });
      say('Name saved');
    },
  });
  return (
    <Form form={form} className="max-w-md">
      <div className="flex items-end gap-2">
        <div className="grow">
          <TextField label="Name" required maxLength={DISPLAY_NAME_MAX_CHARS} {...form.field('display_name')} />
        </div>
        <Button type="submit" isBusy={form.isBusy} disabled={form.fields.display_name.trim() === name}>
          Save
        </Button>
      </div>
      <p className="mt-1.5 text-sm text-soft">New messages show the new name. Receipts keep the name at the time of delivery.</p>
    </Form>
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
                  ? 'Anyone with the link to a receipt sees only the parties, the time and the hashes.'
                  : 'Anyone with the link to a receipt sees the sender, type, subject, note, file names and the result of the schema check, but not the JSON or the content of files.'
              }
              checked={isMinimal}
              disabled={!isAdmin || change.isPending}
              onChange={({ target }) => change.mutate({ body: { receipts: target.checked ? 'minimal' : 'full' } })}
            />
            <p className="text-sm text-soft">Applies at once to receipts of all messages you sent.</p>
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
        <p className="mb-1.5 text-sm font-medium">Drop page, for people without a handle</p>
        <Copyable text={addresses.drop_page} label="address of the drop page" />
      </div>
      {addresses.email === null ? null : (
        <div>
          <p className="mb-1.5 text-sm font-medium">Email address</p>
          <Copyable text={addresses.email} label="email address" />
        </div>
      )}
      <Switch
        label="Accept messages from people without a handle"
        hint={
          isOpen
            ? `Anyone with a verified email address can write to you on the drop page${addresses.email === null ? '' : ' or by email'}.`
            : 'Off. Only people you replied to can write to you without a handle.'
        }
        checked={isOpen}
        disabled={!isAdmin || change.isPending}
        onChange={({ target }) => change.mutate({ body: { accepting_drops: target.checked } })}
      />
      {change.error ? <ErrorNote error={change.error} /> : null}
    </div>
  );
}

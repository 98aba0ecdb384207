import { useState } from 'react';
import { actFor, useActiveBusiness } from '../../api/business.ts';
import type { ResponseOf } from '../../api/client.ts';
import { useAction, useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Key } from '../../api/schema.ts';
import { Plain } from '../../frame/plain.tsx';
import { SignedInAs } from '../../parts/signed-in-as.tsx';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Select, TextField, VERBATIM } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { useForm } from '../../ui/use-form.ts';

type Login = ResponseOf<'GET /v1/device-logins/{code}'>;
type Scope = Key['scope'];

const EXAMPLE = 'ABCD-EFGH';

const SCOPES: { value: Scope; label: string; hint: string }[] = [
  { value: 'read', label: 'Read only', hint: 'It can read messages, files and settings.' },
  { value: 'read_write', label: 'Read and write', hint: 'It can also send, reply and change settings.' },
];

/**
 * Here a person gives a key to a program on another screen, such as the command line. The person types the code. If the address had the
 * code, a stranger's link would give the key to the stranger's program.
 */
export function DevicePage() {
  const [code, setCode] = useState<string>();
  return code === undefined ? <EnterCode onEntered={setCode} /> : <Decide code={code} />;
}

function EnterCode({ onEntered }: { onEntered(code: string): void }) {
  const form = useForm<{ code: string }>({
    initial: { code: '' },
    check: ({ code }) => (code.replace(/[^a-z]/gi, '').length === 8 ? {} : { code: 'Enter the 8 letters that the program shows.' }),
    submit: async ({ code }) => onEntered(code.trim()),
  });
  return (
    <Plain title="Connect a program">
      <p className="mb-6 text-soft">
        Enter the code that your program shows, such as the command line after “waybill login”. Never enter a code that somebody has sent
        you.
      </p>
      <Form form={form} className="space-y-5">
        {/* Some people type spaces between the letters. */}
        <TextField label="Code" placeholder={EXAMPLE} maxLength={2 * EXAMPLE.length} {...VERBATIM} {...form.field('code')} />
        <SubmitButton form={form} className="w-full">
          Continue
        </SubmitButton>
      </Form>
      <SignedInAs />
    </Plain>
  );
}

function Decide({ code }: { code: string }) {
  const login = useReading('GET /v1/device-logins/{code}', { path: { code } });
  const [decision, setDecision] = useState<'allowed' | 'refused'>();
  if (decision !== undefined)
    return (
      <Plain title={decision === 'allowed' ? 'Connected' : 'Refused'}>
        <p className="text-soft">
          {decision === 'allowed'
            ? 'The program has its key in a few seconds. You can close this page. Revoke the key under Agents and keys.'
            : 'The program gets no key. You can close this page.'}
        </p>
      </Plain>
    );
  return (
    <Plain title="Connect a program">
      {login.error ? (
        <ErrorNote error={login.error} onRetry={() => void login.refetch()} />
      ) : login.data ? (
        <Ask code={code} login={login.data} onDecided={setDecision} />
      ) : (
        <Loading rows={2} />
      )}
      <SignedInAs />
    </Plain>
  );
}

interface AskProps {
  code: string;
  login: Login;
  onDecided(decision: 'allowed' | 'refused'): void;
}

function Ask({ code, login, onDecided }: AskProps) {
  const refuse = useAction('DELETE /v1/device-logins/{code}');
  const { isAdmin } = useRole();
  return (
    <>
      <p className="text-soft">
        <Name className="font-medium text-ink">{login.name}</Name> asks for a key of your business. It began <Time at={login.created_at} />.
      </p>
      <p className="my-6 rounded-lg border border-line bg-tint py-4 text-center font-mono text-2xl tracking-widest">{code.toUpperCase()}</p>
      <p className="mb-6 text-soft">Continue only if you began this yourself on your own machine.</p>
      {isAdmin ? <Allow code={code} onAllowed={() => onDecided('allowed')} /> : <NotAdmin />}
      {refuse.error ? <ErrorNote error={refuse.error} /> : null}
      <Button
        className="mt-3 w-full"
        isBusy={refuse.isPending}
        onClick={() => refuse.mutate({ path: { code } }, { onSuccess: () => onDecided('refused') })}
      >
        Refuse
      </Button>
    </>
  );
}

function NotAdmin() {
  return (
    <>
      <BusinessField />
      <p className="mt-4 text-warn">Only admins and owners can create keys. Ask one of them to open this page.</p>
    </>
  );
}

function Allow({ code, onAllowed }: { code: string; onAllowed(): void }) {
  const agents = useReading('GET /v1/agents', { query: { limit: 200 } });
  const create = useAction('POST /v1/agents', { changes: ['GET /v1/agents'] });
  const allow = useAction('POST /v1/device-logins/{code}');
  const form = useForm<{ agent: string; scope: Scope }>({
    initial: { agent: '', scope: 'read' },
    paths: { agent: ['/agent_id'] },
    submit: async ({ agent, scope }) => {
      const agent_id = agent || agents.data?.data[0]?.id || (await create.mutateAsync({ body: { name: 'Command line' } })).id;
      await allow.mutateAsync({ path: { code }, body: { agent_id, scope } });
      onAllowed();
    },
  });
  return (
    <Form form={form} className="space-y-5">
      <BusinessField />
      {agents.data && agents.data.data.length > 0 ? (
        <Select label="Agent" hint="The program sends in the name of this agent." {...form.field('agent')}>
          {agents.data.data.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      ) : null}
      <Choice label="Permissions" options={SCOPES} value={form.fields.scope} onChange={(scope) => form.set({ scope })} />
      <SubmitButton form={form} className="w-full">
        Allow
      </SubmitButton>
    </Form>
  );
}

function BusinessField() {
  const active = useActiveBusiness();
  const { data: account } = useReading('GET /v1/account', {});
  if (!account || account.businesses.length < 2) return null;
  return (
    <Select label="Business" value={active ?? ''} onChange={({ target }) => actFor(target.value)}>
      {account.businesses.map(({ handle, display_name }) => (
        <option key={handle} value={handle}>
          {display_name} (@{handle})
        </option>
      ))}
    </Select>
  );
}

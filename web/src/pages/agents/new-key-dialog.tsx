import { useAction } from '../../api/queries.ts';
import type { Agent, Key } from '../../api/schema.ts';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Copyable } from '../../ui/parts.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { useForm } from '../../ui/use-form.ts';

type Scope = Key['scope'];

const SCOPES: { value: Scope; label: string; hint: string }[] = [
  {
    value: 'read_write',
    label: 'Read and write',
    hint: 'Reads everything, sends messages and files, and changes webhooks, the inbox schema, contacts and blocks.',
  },
  { value: 'read', label: 'Read only', hint: 'Reads messages, files and settings. Changes nothing.' },
];

export function NewKeyDialog({ agent, onClose }: { agent: Agent; onClose(): void }) {
  const create = useAction('POST /v1/agents/{id}/keys', { changes: ['GET /v1/agents/{id}/keys'] });
  const form = useForm<{ scope: Scope }>({
    initial: { scope: 'read_write' },
    submit: (body) => create.mutateAsync({ path: { id: agent.id }, body }),
  });
  if (create.data)
    return (
      <SecretDialog title="Key created" secret={create.data.secret} label="key" onClose={onClose}>
        <p className="mt-4 mb-1.5 text-sm font-medium">Try it</p>
        <Copyable text={`curl -s ${location.origin}/v1/me -H 'Authorization: Bearer ${create.data.secret}'`} label="command" />
      </SecretDialog>
    );
  return (
    <FormDialog title={`New key for ${agent.name}`} action="Create key" form={form} onClose={onClose}>
      <Choice label="Permissions" options={SCOPES} value={form.fields.scope} onChange={(scope) => form.set({ scope })} />
    </FormDialog>
  );
}

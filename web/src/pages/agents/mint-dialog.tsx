import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Agent, Key } from '../../api/schema.ts';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Copyable } from '../../ui/parts.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

type Scope = Key['scope'];

const SCOPES: { value: Scope; label: string; hint: string }[] = [
  {
    value: 'read_write',
    label: 'Read and write',
    hint: 'Sends messages and files, and changes webhooks, the inbox schema, contacts and blocks. Reads everything.',
  },
  { value: 'read', label: 'Read only', hint: 'Reads messages, files and settings. Changes nothing.' },
];

/** Asks for the scope, then shows the secret, once. */
export function MintDialog({ agent, onClose }: { agent: Agent; onClose(): void }) {
  const [scope, setScope] = useState<Scope>('read_write');
  const mint = useAction('POST /v1/agents/{id}/keys', { changes: ['GET /v1/agents/{id}/keys'] });
  if (mint.data)
    return (
      <SecretDialog title="Your new key" secret={mint.data.secret} label="key" onClose={onClose}>
        <p className="mt-4 mb-1.5 text-sm font-medium">Try it</p>
        <Copyable text={`curl -s ${location.origin}/v1/me -H 'Authorization: Bearer ${mint.data.secret}'`} label="command" />
      </SecretDialog>
    );
  return (
    <FormDialog
      title={`Mint a key for ${agent.name}`}
      action="Mint key"
      isBusy={mint.isPending}
      error={mint.error}
      onSubmit={() => mint.mutate({ path: { id: agent.id }, body: { scope } })}
      onClose={onClose}
    >
      <Choice label="What it may do" options={SCOPES} value={scope} onChange={setScope} />
    </FormDialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { AGENT_NAME_MAX_CHARS } from '../../api/limits.ts';
import { forget, useAction, useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Agent } from '../../api/schema.ts';
import { TextField } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useForm } from '../../ui/use-form.ts';
import { Step } from './step.tsx';

interface KeyStepProps {
  secret: string | undefined;
  onSecret(secret: string): void;
}

export function KeyStep({ secret, onSecret }: KeyStepProps) {
  const { isAdmin } = useRole();
  const { data: agents, error } = useReading('GET /v1/agents', { query: { limit: 1 } });
  const agent = agents?.data[0];
  const { data: keys } = useReading(
    'GET /v1/agents/{id}/keys',
    { path: { id: agent?.id ?? '' }, query: { limit: 200 } },
    { enabled: isAdmin && agent !== undefined },
  );
  const hasKey = keys?.data.some(({ revoked_at }) => revoked_at === null) ?? false;
  const isDone = secret !== undefined || hasKey || (!isAdmin && agent !== undefined);
  const isKnown = agents !== undefined && (agent === undefined || !isAdmin || keys !== undefined);
  return (
    <Step number={4} title="Create an agent and a key" isDone={isDone}>
      <p className="mb-3 text-soft">An agent is a program that acts for your business. It calls the API with a key.</p>
      {error ? <ErrorNote error={error} /> : null}
      {secret !== undefined ? (
        <>
          <Copyable text={secret} label="key" />
          <p className="mt-2 text-sm text-warn">
            Copy the key now. It is shown only once, and anyone who has it can send as your business.
          </p>
        </>
      ) : isDone ? (
        <p>
          <Name className="font-medium">{agent?.name}</Name> already has a key. Create more under{' '}
          <Link to="/agents" className="text-accent underline">
            Agents and keys
          </Link>
          .
        </p>
      ) : !isKnown ? null : isAdmin ? (
        <NewKeyForm agent={agent} onSecret={onSecret} />
      ) : (
        <p className="text-soft">Only admins and owners can create keys. Ask one of them, or continue with the next step.</p>
      )}
    </Step>
  );
}

function NewKeyForm({ agent, onSecret }: { agent: Agent | undefined; onSecret(secret: string): void }) {
  const queries = useQueryClient();
  const createAgent = useAction('POST /v1/agents');
  const createKey = useAction('POST /v1/agents/{id}/keys');
  const form = useForm({
    initial: { name: 'My program' },
    submit: async ({ name }) => {
      try {
        const { id } = agent ?? (await createAgent.mutateAsync({ body: { name: name.trim() } }));
        onSecret((await createKey.mutateAsync({ path: { id }, body: { scope: 'read_write' } })).secret);
      } finally {
        // The list is reloaded only after the secret is shown, because the reloaded list removes this form.
        await forget(queries, 'GET /v1/agents', 'GET /v1/agents/{id}/keys');
      }
    },
  });
  return (
    <Form form={form} className="space-y-3">
      {agent ? null : <TextField label="Agent name" required maxLength={AGENT_NAME_MAX_CHARS} {...form.field('name')} />}
      <SubmitButton form={form}>{agent ? `Create key for ${agent.name}` : 'Create agent and key'}</SubmitButton>
    </Form>
  );
}

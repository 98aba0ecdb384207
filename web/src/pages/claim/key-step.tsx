import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { forget, useAction, useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Agent } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { Step } from './step.tsx';

interface KeyStepProps {
  /** Of the key that was made just now. */
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
    <Step number={2} title="Make an agent and a key" isDone={isDone}>
      <p className="mb-3 text-soft">An agent is a program that acts for your business; whatever its key sends is shown as its work.</p>
      {error ? <ErrorNote error={error} /> : null}
      {secret !== undefined ? (
        <>
          <Copyable text={secret} label="key" />
          <p className="mt-2 text-sm text-warn">Copy it now: it is shown this once. Whoever has it can send as your business.</p>
        </>
      ) : isDone ? (
        <p>
          <Name className="font-medium">{agent?.name}</Name> has one already. More are made under{' '}
          <Link to="/agents" className="text-accent underline">
            Agents and keys
          </Link>
          .
        </p>
      ) : !isKnown ? null : isAdmin ? (
        <MakeKey agent={agent} onSecret={onSecret} />
      ) : (
        <p className="text-soft">Only an admin or owner of your business can do this. Ask one, or go on with the next step.</p>
      )}
    </Step>
  );
}

/** agent: one that has no key yet. */
function MakeKey({ agent, onSecret }: { agent: Agent | undefined; onSecret(secret: string): void }) {
  const [name, setName] = useState('My program');
  const queries = useQueryClient();
  const create = useAction('POST /v1/agents');
  const mint = useAction('POST /v1/agents/{id}/keys');
  const make = async () => {
    const { id } = agent ?? (await create.mutateAsync({ body: { name: name.trim() } }));
    const { secret } = await mint.mutateAsync({ path: { id }, body: { scope: 'read_write' } });
    onSecret(secret);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const readAnew = () => forget(queries, 'GET /v1/agents', 'GET /v1/agents/{id}/keys');
    // Only then: an agent that is known takes this form away, and with it the secret. What fails is shown below.
    void make().then(readAnew, readAnew);
  };
  const wrongName = create.error?.at('/name');
  const error = mint.error ?? (wrongName === undefined ? create.error : null);
  return (
    <form onSubmit={onSubmit} className="space-y-3">
      {agent ? null : (
        <TextField
          label="Name of the agent"
          required
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={wrongName}
        />
      )}
      {error ? <ErrorNote error={error} /> : null}
      <Button type="submit" look="primary" isBusy={create.isPending || mint.isPending}>
        {agent ? `Make a key for ${agent.name}` : 'Make agent and key'}
      </Button>
    </form>
  );
}

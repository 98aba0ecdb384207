import { useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { useAction } from '../../api/queries.ts';
import type { Agent } from '../../api/schema.ts';
import { TextArea, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

const FIELDS = ['/name', '/description', '/segment'];

/** Makes an agent, or changes the one that is given. */
export function AgentDialog({ agent, onClose }: { agent: Agent | undefined; onClose(): void }) {
  const handle = useActiveBusiness() ?? '';
  const [name, setName] = useState(agent?.name ?? '');
  const [description, setDescription] = useState(agent?.description ?? '');
  const [segment, setSegment] = useState(agent?.segment ?? '');
  const make = useAction('POST /v1/agents', { changes: ['GET /v1/agents'] });
  const change = useAction('PATCH /v1/agents/{id}', { changes: ['GET /v1/agents'] });
  const { isPending, error } = agent ? change : make;

  const body = { name, description: description.trim() || null, segment: segment.trim() || null };
  const done = (text: string) => ({
    onSuccess: () => {
      say(text);
      onClose();
    },
  });
  const submit = () =>
    agent
      ? change.mutate({ path: { id: agent.id }, body }, done('The agent is changed.'))
      : make.mutate({ body }, done('The agent is made. Now give it a key.'));

  return (
    <FormDialog
      title={agent ? 'Edit agent' : 'New agent'}
      action={agent ? 'Save' : 'Make agent'}
      isBusy={isPending}
      error={error?.code === 'conflict' ? null : error}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="Orders"
        value={name}
        onChange={({ target }) => setName(target.value)}
        maxLength={100}
        autoComplete="off"
        error={error?.at('/name')}
        hint="Stands beside the messages that it sends."
      />
      <TextArea
        label="Description (optional)"
        rows={2}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
        maxLength={500}
        error={error?.at('/description')}
      />
      <TextField
        label="Segment (optional)"
        placeholder="orders"
        value={segment}
        onChange={({ target }) => setSegment(target.value)}
        maxLength={31}
        {...VERBATIM}
        error={error?.code === 'conflict' ? error.message : error?.at('/segment')}
        hint={
          <>
            An address of its own: <span className="font-mono">{`${handle}/${segment.trim().toLowerCase() || 'orders'}`}</span>
          </>
        }
      />
    </FormDialog>
  );
}

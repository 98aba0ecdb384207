import { useActiveBusiness } from '../../api/business.ts';
import { AGENT_DESCRIPTION_MAX_CHARS, AGENT_NAME_MAX_CHARS, SEGMENT_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import type { Agent } from '../../api/schema.ts';
import { TextArea, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';

export function AgentDialog({ agent, onClose }: { agent: Agent | undefined; onClose(): void }) {
  const handle = useActiveBusiness() ?? '';
  const create = useAction('POST /v1/agents', { changes: ['GET /v1/agents'] });
  const change = useAction('PATCH /v1/agents/{id}', { changes: ['GET /v1/agents'] });
  const form = useForm({
    initial: { name: agent?.name ?? '', description: agent?.description ?? '', segment: agent?.segment ?? '' },
    codes: { conflict: 'segment' },
    submit: async ({ name, description, segment }) => {
      const body = { name, description: description.trim() || null, segment: segment.trim() || null };
      if (agent) await change.mutateAsync({ path: { id: agent.id }, body });
      else await create.mutateAsync({ body });
      say(agent ? 'Agent saved' : 'Agent created. Now create a key for it.');
      onClose();
    },
  });
  return (
    <FormDialog title={agent ? 'Edit agent' : 'New agent'} action={agent ? 'Save' : 'Create agent'} form={form} onClose={onClose}>
      <TextField
        label="Name"
        placeholder="Orders"
        maxLength={AGENT_NAME_MAX_CHARS}
        autoComplete="off"
        hint="Shown next to the messages that it sends."
        {...form.field('name')}
      />
      <TextArea label="Description (optional)" rows={2} maxLength={AGENT_DESCRIPTION_MAX_CHARS} {...form.field('description')} />
      <TextField
        label="Segment (optional)"
        placeholder="orders"
        maxLength={SEGMENT_MAX_CHARS}
        {...VERBATIM}
        hint={
          <>
            Gives the agent its own address:{' '}
            <span className="font-mono">{`${handle}/${form.fields.segment.trim().toLowerCase() || 'orders'}`}</span>
          </>
        }
        {...form.field('segment')}
      />
    </FormDialog>
  );
}

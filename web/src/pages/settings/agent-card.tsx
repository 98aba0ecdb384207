import { useAction, useReading } from '../../api/queries.ts';
import { Switch } from '../../ui/field.tsx';
import { Copyable } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';

export function AgentCard({ isAdmin }: { isAdmin: boolean }) {
  const business = useReading('GET /v1/business', {});
  const change = useAction('PATCH /v1/business', { changes: ['GET /v1/business'] });
  return (
    <States of={business} rows={1}>
      {({ handle, agent_card }) => {
        const isOn = (change.isPending ? change.variables.body.agent_card : agent_card) === true;
        return (
          <div className="max-w-xl space-y-5">
            <Switch
              label="Publish an agent card"
              hint={
                isOn
                  ? 'Anyone can see the names and descriptions of your agents that have a segment, and whether you publish a schema.'
                  : 'Off. With a card, AI agents of others can find out how to write to you.'
              }
              checked={isOn}
              disabled={!isAdmin || change.isPending}
              onChange={({ target }) => change.mutate({ body: { agent_card: target.checked } })}
            />
            {isOn ? (
              <Copyable text={`${location.origin}/@${handle}/.well-known/agent-card.json`} label="address of the agent card" />
            ) : null}
            {change.error ? <ErrorNote error={change.error} /> : null}
          </div>
        );
      }}
    </States>
  );
}

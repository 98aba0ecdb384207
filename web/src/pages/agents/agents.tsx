import { Bot, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useList } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Agent } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { AgentCard } from './agent-card.tsx';
import { AgentDialog } from './agent-dialog.tsx';

/** From this many on, somebody may want to look for one. */
const MANY = 8;
/** Up to this many show their keys at once. */
const FEW = 3;

export function AgentsPage() {
  const { role, isAdmin } = useRole();
  const list = useList('GET /v1/agents', { query: {} });
  const [edited, setEdited] = useState<Agent | 'new'>();
  const [wanted, setWanted] = useState('');
  const found = list.items.filter((agent) => holds(agent, wanted));

  // Only what has come can be searched.
  const { hasMore, isFetchingMore, more } = list;
  const isSearching = wanted !== '' && hasMore;
  useEffect(() => {
    if (isSearching && !isFetchingMore) more();
  }, [isSearching, isFetchingMore, more]);

  return (
    <>
      <PageHeader
        title="Agents and keys"
        actions={
          isAdmin ? (
            <Button look="primary" onClick={() => setEdited('new')} icon={<Plus className="size-4" aria-hidden />}>
              New agent
            </Button>
          ) : undefined
        }
      >
        An agent is a program that acts for your business. It calls the API with a key of its own.
      </PageHeader>
      {role === 'member' ? (
        <p className="mb-4 rounded-lg bg-tint px-4 py-3 text-sm text-soft">
          Only admins make agents and manage their keys. Ask one of them if you need a key.
        </p>
      ) : null}
      {list.items.length >= MANY ? (
        <search className="mb-4 block max-w-sm">
          <TextField
            label="Find an agent"
            isBare
            type="search"
            placeholder="Find an agent"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        </search>
      ) : null}
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={3} label="Loading agents" />
      ) : list.items.length === 0 ? (
        <Empty icon={<Bot className="size-6" aria-hidden />} title="No agents yet">
          <p>Make one for each program that sends or reads messages, so that each has a key that can be revoked alone.</p>
          {isAdmin ? (
            <Button look="primary" className="mt-4" onClick={() => setEdited('new')}>
              Make an agent
            </Button>
          ) : null}
        </Empty>
      ) : found.length === 0 && !isSearching ? (
        <Empty title="No agent fits">
          <Button className="mt-3" onClick={() => setWanted('')}>
            Show all
          </Button>
        </Empty>
      ) : (
        <ul aria-label="Agents" className="space-y-4">
          {found.map((agent) => (
            <AgentCard
              key={agent.id}
              agent={agent}
              isAdmin={isAdmin}
              isOpenAtFirst={list.items.length <= FEW}
              onEdit={() => setEdited(agent)}
            />
          ))}
        </ul>
      )}
      {list.hasMore && wanted === '' ? (
        <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {edited !== undefined ? <AgentDialog agent={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} /> : null}
    </>
  );
}

function holds({ name, description, address, id }: Agent, wanted: string): boolean {
  const text = [name, description, address, id].join('\n').toLowerCase();
  return text.includes(wanted.trim().toLowerCase());
}

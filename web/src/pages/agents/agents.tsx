import { Bot, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type List, useList } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Agent } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { AgentCard } from './agent-card.tsx';
import { AgentDialog } from './agent-dialog.tsx';

const SEARCHABLE_FROM = 8;
const KEYS_OPEN_MAX = 3;

export function AgentsPage() {
  const { role, isAdmin } = useRole();
  const list = useList('GET /v1/agents', { query: {} });
  const [edited, setEdited] = useState<Agent | 'new'>();
  const [searched, setSearched] = useState('');
  const found = list.items.filter((agent) => matches(agent, searched));

  // The search covers only loaded agents, so it loads the rest.
  const { hasMore, isFetchingMore, more } = list;
  const isSearching = searched !== '' && hasMore;
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
        Agents are programs that act for your business. Each calls the API with its own keys.
      </PageHeader>
      {role === 'member' ? (
        <p className="mb-4 rounded-lg bg-tint px-4 py-3 text-sm text-soft">
          Only admins and owners can create agents and keys. Ask one of them if you need a key.
        </p>
      ) : null}
      {list.items.length >= SEARCHABLE_FROM ? (
        <search className="mb-4 block max-w-sm">
          <TextField
            label="Search agents"
            isBare
            type="search"
            placeholder="Search agents"
            value={searched}
            onChange={({ target }) => setSearched(target.value)}
          />
        </search>
      ) : null}
      <AgentList
        list={list}
        agents={found}
        isSearching={isSearching}
        isAdmin={isAdmin}
        onEdit={setEdited}
        onClear={() => setSearched('')}
      />
      {list.hasMore && searched === '' ? (
        <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {edited !== undefined ? <AgentDialog agent={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} /> : null}
    </>
  );
}

interface AgentListProps {
  list: List<Agent>;
  agents: readonly Agent[];
  isSearching: boolean;
  isAdmin: boolean;
  onEdit(agent: Agent | 'new'): void;
  onClear(): void;
}

function AgentList({ list, agents, isSearching, isAdmin, onEdit, onClear }: AgentListProps) {
  if (list.error) return <ErrorNote error={list.error} onRetry={list.retry} />;
  if (list.isPending) return <Loading rows={3} label="Loading agents" />;
  if (list.items.length === 0)
    return (
      <Empty icon={<Bot className="size-6" aria-hidden />} title="No agents yet">
        <p>Create one for each program that sends or reads messages, so that you can revoke its keys on their own.</p>
        {isAdmin ? (
          <Button look="primary" className="mt-4" onClick={() => onEdit('new')}>
            New agent
          </Button>
        ) : null}
      </Empty>
    );
  if (agents.length === 0 && !isSearching)
    return (
      <Empty title="No results">
        <Button className="mt-3" onClick={onClear}>
          Clear search
        </Button>
      </Empty>
    );
  return (
    <ul aria-label="Agents" className="space-y-4">
      {agents.map((agent) => (
        <AgentCard
          key={agent.id}
          agent={agent}
          isAdmin={isAdmin}
          isOpenAtFirst={list.items.length <= KEYS_OPEN_MAX}
          onEdit={() => onEdit(agent)}
        />
      ))}
    </ul>
  );
}

function matches({ name, description, address, id }: Agent, searched: string): boolean {
  const text = [name, description, address, id].join('\n').toLowerCase();
  return text.includes(searched.trim().toLowerCase());
}

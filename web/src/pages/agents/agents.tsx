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

/** Lists of at least this many agents have a search field. */
const SEARCHABLE_FROM = 8;
/** Lists of at most this many agents show their keys. */
const KEYS_OPEN_MAX = 3;

export function AgentsPage() {
  const { role, isAdmin } = useRole();
  const list = useList('GET /v1/agents', { query: {} });
  const [edited, setEdited] = useState<Agent | 'new'>();
  const [searched, setSearched] = useState('');
  const found = list.items.filter((agent) => matches(agent, searched));

  // The search runs over the loaded agents, so the rest is loaded.
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
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={3} label="Loading agents" />
      ) : list.items.length === 0 ? (
        <Empty icon={<Bot className="size-6" aria-hidden />} title="No agents yet">
          <p>Create one for each program that sends or reads messages, so that you can revoke its keys on their own.</p>
          {isAdmin ? (
            <Button look="primary" className="mt-4" onClick={() => setEdited('new')}>
              New agent
            </Button>
          ) : null}
        </Empty>
      ) : found.length === 0 && !isSearching ? (
        <Empty title="No results">
          <Button className="mt-3" onClick={() => setSearched('')}>
            Clear search
          </Button>
        </Empty>
      ) : (
        <ul aria-label="Agents" className="space-y-4">
          {found.map((agent) => (
            <AgentCard
              key={agent.id}
              agent={agent}
              isAdmin={isAdmin}
              isOpenAtFirst={list.items.length <= KEYS_OPEN_MAX}
              onEdit={() => setEdited(agent)}
            />
          ))}
        </ul>
      )}
      {list.hasMore && searched === '' ? (
        <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
          Show more
        </Button>
      ) : null}
      {edited !== undefined ? <AgentDialog agent={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} /> : null}
    </>
  );
}

function matches({ name, description, address, id }: Agent, searched: string): boolean {
  const text = [name, description, address, id].join('\n').toLowerCase();
  return text.includes(searched.trim().toLowerCase());
}

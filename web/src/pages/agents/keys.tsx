import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import type { Agent, Key } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

/** An agent has at most this many keys, revoked ones included. */
const KEYS_MAX = 200;

export function Keys({ agent }: { agent: Agent }) {
  const keys = useReading('GET /v1/agents/{id}/keys', { path: { id: agent.id }, query: { limit: KEYS_MAX } });
  const [isCreating, setCreating] = useState(false);
  const [toRevoke, setToRevoke] = useState<Key>();
  return (
    <div className="pt-1 pb-3">
      <States of={keys} rows={1}>
        {({ data }) => {
          const revoked = data.filter(({ revoked_at }) => revoked_at !== null);
          const valid = data.filter(({ revoked_at }) => revoked_at === null);
          return (
            <>
              {valid.length === 0 ? (
                <p className="py-2 text-soft">No keys yet. Create one so that your program can call the API.</p>
              ) : (
                <KeyList label={`Keys of ${agent.name}`} keys={valid} onRevoke={setToRevoke} />
              )}
              {revoked.length > 0 ? (
                <details className="mt-2 text-sm">
                  <summary className="w-fit rounded text-soft hover:text-ink">
                    {revoked.length === 1 ? '1 revoked key' : `${revoked.length} revoked keys`}
                  </summary>
                  <KeyList label={`Revoked keys of ${agent.name}`} keys={revoked} />
                </details>
              ) : null}
            </>
          );
        }}
      </States>
      <Button
        className="mt-2"
        onClick={() => setCreating(true)}
        aria-label={`Create key for ${agent.name}`}
        icon={<KeyRound className="size-4" aria-hidden />}
      >
        Create key
      </Button>
      {isCreating ? <NewKeyDialog agent={agent} onClose={() => setCreating(false)} /> : null}
      {toRevoke ? <RevokeDialog revoked={toRevoke} agent={agent} onClose={() => setToRevoke(undefined)} /> : null}
    </div>
  );
}

function KeyList({ label, keys, onRevoke }: { label: string; keys: readonly Key[]; onRevoke?: (key: Key) => void }) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {keys.map((key) => (
        <li key={key.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
          <code className="font-mono text-sm">{key.prefix}…</code>
          <Badge tone={key.scope === 'read' ? 'plain' : 'accent'}>{key.scope === 'read' ? 'Read only' : 'Read and write'}</Badge>
          <span className="grow text-sm text-soft">
            Created <Time at={key.created_at} /> ·{' '}
            {key.last_used_at === null ? (
              'never used'
            ) : (
              <>
                last used <Time at={key.last_used_at} />
              </>
            )}
            {key.revoked_at === null ? null : (
              <>
                {' '}
                · revoked <Time at={key.revoked_at} />
              </>
            )}
          </span>
          {onRevoke ? (
            <Button look="quiet" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.prefix}…`}>
              Revoke
            </Button>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function RevokeDialog({ revoked, agent, onClose }: { revoked: Key; agent: Agent; onClose(): void }) {
  const revoke = useAction('DELETE /v1/keys/{id}', { changes: ['GET /v1/agents/{id}/keys'] });
  return (
    <Confirm
      title="Revoke this key?"
      action="Revoke key"
      run={() => revoke.mutateAsync({ path: { id: revoked.id } })}
      done="Key revoked"
      onClose={onClose}
    >
      Requests with the key <code className="font-mono text-sm text-ink">{revoked.prefix}…</code> of{' '}
      <Name className="text-ink">{agent.name}</Name> will be refused at once. This can’t be undone.
    </Confirm>
  );
}

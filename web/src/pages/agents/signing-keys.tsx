import { PenLine } from 'lucide-react';
import { useState } from 'react';
import { SIGNING_KEY_MAX_CHARS } from '../../api/limits.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { Agent, SigningKey } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';

const LIST = 'GET /v1/agents/{id}/signing-keys';
/** An agent has at most this many signing keys, revoked ones included. */
const KEYS_MAX = 200;

export function SigningKeys({ agent }: { agent: Agent }) {
  const keys = useReading(LIST, { path: { id: agent.id }, query: { limit: KEYS_MAX } });
  const [isAdding, setAdding] = useState(false);
  const [toRevoke, setToRevoke] = useState<SigningKey>();
  return (
    <div className="border-t border-line pt-3 pb-3">
      <h3 className="text-sm font-medium">Signing keys</h3>
      <States of={keys} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="py-2 text-sm text-soft">With a signing key, messages of this agent prove who sent them, without this service.</p>
          ) : (
            <ul aria-label={`Signing keys of ${agent.name}`} className="divide-y divide-line">
              {data.map((key) => (
                <Row key={key.id} signingKey={key} onRevoke={() => setToRevoke(key)} />
              ))}
            </ul>
          )
        }
      </States>
      <Button
        className="mt-2"
        onClick={() => setAdding(true)}
        aria-label={`Add signing key to ${agent.name}`}
        icon={<PenLine className="size-4" aria-hidden />}
      >
        Add signing key
      </Button>
      {isAdding ? <AddDialog agent={agent} onClose={() => setAdding(false)} /> : null}
      {toRevoke ? <RevokeDialog revoked={toRevoke} agent={agent} onClose={() => setToRevoke(undefined)} /> : null}
    </div>
  );
}

function Row({ signingKey: { id, public_key, created_at, revoked_at, domain }, onRevoke }: { signingKey: SigningKey; onRevoke(): void }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
      <code className="min-w-0 font-mono text-sm break-all">{public_key}</code>
      <span className="grow text-sm text-soft">
        Added <Time at={created_at} />
        {revoked_at === null ? null : (
          <>
            {' '}
            · revoked <Time at={revoked_at} />
          </>
        )}
        {domain === null ? null : (
          <>
            {' '}
            · {domain.name} vouches for it, since <Time at={domain.since} />
          </>
        )}
      </span>
      {revoked_at === null ? (
        <Button look="quiet" onClick={onRevoke} aria-label={`Revoke signing key ${id}`}>
          Revoke
        </Button>
      ) : null}
    </li>
  );
}

function AddDialog({ agent, onClose }: { agent: Agent; onClose(): void }) {
  const register = useAction('POST /v1/agents/{id}/signing-keys', { changes: [LIST] });
  const form = useForm({
    initial: { public_key: '' },
    codes: { conflict: 'public_key' },
    submit: async ({ public_key }) => {
      await register.mutateAsync({ path: { id: agent.id }, body: { public_key: public_key.trim() } });
      say('Signing key added');
      onClose();
    },
  });
  return (
    <FormDialog title={`Add signing key to ${agent.name}`} action="Add signing key" form={form} onClose={onClose}>
      <TextField
        label="Public key"
        maxLength={SIGNING_KEY_MAX_CHARS}
        {...VERBATIM}
        hint="The 32 bytes of an Ed25519 key in base64. The command waybill signing-key creates a key and shows it. The public log will have it."
        {...form.field('public_key')}
      />
    </FormDialog>
  );
}

function RevokeDialog({ revoked, agent, onClose }: { revoked: SigningKey; agent: Agent; onClose(): void }) {
  const revoke = useAction('DELETE /v1/agents/{id}/signing-keys/{key_id}', { changes: [LIST] });
  return (
    <Confirm
      title="Revoke this signing key?"
      action="Revoke signing key"
      run={() => revoke.mutateAsync({ path: { id: agent.id, key_id: revoked.id } })}
      done="Signing key revoked"
      onClose={onClose}
    >
      What <Name className="text-ink">{agent.name}</Name> signs with it will be refused at once. What it signed before stays proven. This
      can’t be undone.
    </Confirm>
  );
}

import { useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import type { DomainKeys as Found } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';

const READ = 'GET /v1/domains/{domain}/keys';

interface Props {
  domain: string;
  isAdmin: boolean;
}

/** The signing keys that the domain vouches for. They are read when somebody opens them. */
export function DomainKeys(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="mt-2 text-sm" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit rounded text-soft hover:text-ink">Signing keys it vouches for</summary>
      {isOpen ? <Keys {...props} /> : null}
    </details>
  );
}

function Keys({ domain, isAdmin }: Props) {
  const keys = useReading(READ, { path: { domain } });
  const check = useAction('POST /v1/domains/{domain}/keys/check', { changes: [READ, 'GET /v1/agents/{id}/signing-keys'] });
  return (
    <States of={keys} rows={1}>
      {(found) => (
        <>
          <p role="status" className="mt-2 text-soft">
            <KeysText found={found} />
          </p>
          {found.keys.length === 0 ? null : (
            <ul aria-label={`Signing keys that ${domain} vouches for`} className="mt-1">
              {found.keys.map((key) => (
                <li key={key}>
                  <code className="font-mono break-all">{key}</code>
                </li>
              ))}
            </ul>
          )}
          <p className="mt-2 text-soft">
            Publish this file with the public keys of your agents: others then see that the domain vouches for what your agents sign.
          </p>
          <Copyable text={found.url} label="address of the file" />
          {isAdmin ? (
            <Button
              className="mt-2"
              onClick={() => check.mutate({ path: { domain } })}
              isBusy={check.isPending}
              aria-label={`Fetch now: signing keys of ${domain}`}
            >
              Fetch now
            </Button>
          ) : null}
          {check.error ? <ErrorNote error={check.error} /> : null}
        </>
      )}
    </States>
  );
}

function KeysText({ found: { keys, since, checked_at, missing_since, problem } }: { found: Found }) {
  if (checked_at === null) return <>No file fetched yet.</>;
  return (
    <>
      {keys.length === 0 || since === null ? (
        'The domain vouches for no key.'
      ) : (
        <>
          {keys.length === 1 ? '1 key' : `${keys.length} keys`}, since <Time at={since} />.
        </>
      )}{' '}
      File fetched <Time at={checked_at} />.{problem === null ? null : ` ${problem}`}
      {missing_since === null || keys.length === 0 ? null : (
        <>
          {' '}
          No valid file since <Time at={missing_since} />: after 7 days the domain no longer vouches.
        </>
      )}
    </>
  );
}

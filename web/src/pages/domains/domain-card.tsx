import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Domain } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Badge, Copyable, Time } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { DomainKeys } from './domain-keys.tsx';

const BADGES = {
  pending: <Badge tone="warn">Pending</Badge>,
  verified: <Badge tone="good">Verified</Badge>,
  failing: <Badge tone="bad">Record missing</Badge>,
};

export function DomainCard({ domain, isAdmin, isOwner }: { domain: Domain; isAdmin: boolean; isOwner: boolean }) {
  const check = useAction('POST /v1/domains/{domain}/check', { changes: ['GET /v1/domains', 'GET /v1/me', 'GET /v1/business'] });
  const [isRemoving, setRemoving] = useState(false);
  const { state, record } = domain;
  const checkNow = () =>
    check.mutate(
      { path: { domain: domain.domain } },
      { onSuccess: (found) => found.state === 'verified' && say(`${found.domain} verified`) },
    );
  return (
    <li className="rounded-xl border border-line px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="min-w-0 font-semibold break-all">{domain.domain}</h2>
          {BADGES[state]}
        </div>
        {isAdmin ? (
          <div className="flex gap-2">
            {record !== null ? (
              <Button onClick={checkNow} isBusy={check.isPending} aria-label={`Check now: ${domain.domain}`}>
                Check now
              </Button>
            ) : null}
            <Button look="quiet" onClick={() => setRemoving(true)} aria-label={`Remove ${domain.domain}`}>
              Remove
            </Button>
          </div>
        ) : null}
      </div>
      <div role="status" className="mt-1 text-sm text-soft">
        <StateText domain={domain} />
      </div>
      {check.error ? <ErrorNote error={check.error} /> : null}
      {state === 'pending' ? null : <Senders domain={domain} isOwner={isOwner} />}
      {state === 'pending' ? null : <DomainKeys domain={domain.domain} isAdmin={isAdmin} />}
      {record === null ? null : state === 'verified' ? (
        <details className="mt-2 text-sm">
          <summary className="w-fit rounded text-soft hover:text-ink">DNS record (keep it in place)</summary>
          <Record record={record} />
        </details>
      ) : (
        <Record record={record} />
      )}
      {isRemoving ? <RemoveDialog domain={domain} onClose={() => setRemoving(false)} /> : null}
    </li>
  );
}

function Senders({ domain: { domain, senders }, isOwner }: { domain: Domain; isOwner: boolean }) {
  const change = useAction('PATCH /v1/domains/{domain}', { changes: ['GET /v1/domains'] });
  if (!isOwner)
    return (
      <p className="mt-2 text-sm text-soft">
        {senders === 'everybody'
          ? 'Everyone with a mailbox at this domain can send as your business.'
          : 'Only members can send as your business from this domain.'}
      </p>
    );
  return (
    <>
      <Select
        label={`Who can send as your business from ${domain}`}
        className="mt-3 max-w-md"
        disabled={change.isPending}
        value={change.isPending ? change.variables.body.senders : senders}
        onChange={({ target }) =>
          change.mutate({ path: { domain }, body: { senders: target.value === 'members' ? 'members' : 'everybody' } })
        }
      >
        <option value="everybody">Everyone with a mailbox at {domain}</option>
        <option value="members">Members only</option>
      </Select>
      {change.error ? <ErrorNote error={change.error} /> : null}
    </>
  );
}

function StateText({ domain: { state, record, verified_at, checked_at, missing_since } }: { domain: Domain }) {
  if (state === 'pending')
    return checked_at === null ? (
      <>Add this record at the DNS provider of the domain, then check.</>
    ) : (
      <>
        Record not found, checked <Time at={checked_at} />. DNS changes can take up to an hour. Compare the record below, then check again.
      </>
    );
  if (state === 'failing')
    return (
      <>
        Record missing since <Time at={missing_since ?? checked_at ?? ''} />. Add it again and check, or the domain is removed after three
        days.
      </>
    );
  return (
    <>
      Verified <Time at={verified_at ?? ''} />
      {record === null ? (
        ', by the operator of this service'
      ) : checked_at === null ? null : (
        <>
          , record last found <Time at={checked_at} />
        </>
      )}
      .
    </>
  );
}

function Record({ record }: { record: NonNullable<Domain['record']> }) {
  return (
    <dl className="mt-3 grid items-center gap-x-4 gap-y-1 sm:grid-cols-[max-content_1fr] sm:gap-y-2">
      <dt className="text-sm text-soft">Type</dt>
      <dd className="font-mono text-sm sm:pl-3">{record.type}</dd>
      <dt className="text-sm text-soft">Name</dt>
      <dd className="min-w-0">
        <Copyable text={record.name} label="name" />
      </dd>
      <dt className="text-sm text-soft">Value</dt>
      <dd className="min-w-0">
        <Copyable text={record.value} label="value" />
      </dd>
    </dl>
  );
}

function RemoveDialog({ domain: { domain, state }, onClose }: { domain: Domain; onClose(): void }) {
  const remove = useAction('DELETE /v1/domains/{domain}', { changes: ['GET /v1/domains', 'GET /v1/me', 'GET /v1/business'] });
  return (
    <Confirm title={`Remove ${domain}?`} action="Remove domain" run={() => remove.mutateAsync({ path: { domain } })} onClose={onClose}>
      {state === 'pending'
        ? 'If you add it again, you get a new record.'
        : 'People at this domain no longer send as your business, and the domain is no longer shown next to your name. Messages stay. To use the domain again, verify it again.'}
    </Confirm>
  );
}
